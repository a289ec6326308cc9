import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What an index finds: the bounds that were asked for, and every object after the store was opened again.
enum LookupCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "IDX.reopened", ["CRUD-1", "IDX-4", "PRED-12"], "The indexes of a store that is opened again have every object.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      for id in 0..<6 { try first.insert(Item(id, rank: id % 2, name: "n\(id)")) }
      try first.update(Item.self, 3) { $0.name = "m" }
      try first.close()
      let second = try kit.open([Item.self], at: place)
      try expectEqual(try second.keys(Item.where { $0.rank == 1 }), [1, 3, 5])
      try expectEqual(try second.keys(Item.where { $0.name == "m" }), [3])
      try expectEqual(try second.keys(Item.where { $0.name == "n5" }), [5])
      try expectEqual(try second.keys(Item.where { $0.code == "c4" }), [4])
      try expectEqual(try second.keys(Item.all.sorted(by: \.name)), [3, 0, 1, 2, 4, 5])
      try expectError(.uniqueViolation) { try second.insert(Item(9, code: "c4")) }
    }
  ]
}
