import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Objects that are stored or replaced.
enum UpsertCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("UPS.adds-or-replaces", ["UPS-1"], "An upsert adds or replaces whole, and says which.") { kit in
      let store = try kit.store(Item.self)
      try expect(try store.upsert(Item(1, rank: 1, note: "n", tags: ["t"])))
      try expect(try !store.upsert(Item(1, name: "b")))
      try expectEqual(try store.fetch(Item.all), [Item(1, name: "b")])
      try expectEqual(try store.keys(Item.where { $0.rank == 1 }), [])
    },
    ConformanceCase("UPS.many", ["UPS-1", "UPS-4"], "An upsert of many counts the new; of equal keys the last stays.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1), Item(2)])
      let added = try store.upsert(contentsOf: [
        Item(2, name: "x"), Item(3, name: "y"), Item(3, name: "z"), Item(4), Item(2, name: "w"),
      ])
      try expectEqual(added, 2)
      try expectEqual(try store.fetch(Item.all).map(\.name), ["", "w", "z", ""])
    },
    ConformanceCase("UPS.unique-of-another", ["UPS-2"], "An upsert never takes a unique value from another object.") {
      kit in
      let store = try kit.store(Item.self)
      let before = [Item(1, code: "a", name: "one"), Item(2, code: "b", name: "two")]
      try store.insert(contentsOf: before)
      let error = try expectError(.uniqueViolation) { try store.upsert(Item(2, code: "a")) }
      try expectEqual(error.property, "code")
      try expectError(.uniqueViolation) { try store.upsert(Item(3, code: "b")) }
      try expectError(.uniqueViolation) { try store.upsert(contentsOf: [Item(5, code: "n"), Item(6, code: "n")]) }
      try expectEqual(try store.fetch(Item.all), before)
    },
    ConformanceCase("UPS.partial", ["UPS-3"], "A partial upsert replaces only its columns, or stores all of it.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 1, name: "a", note: "n"))
      try store.write { tx in
        try expect(try !tx.upsert(Item(1, code: "z", rank: 9, name: "b"), updating: \.name, \.rank))
        try expect(try tx.upsert(Item(2, rank: 5, name: "c"), updating: \.name))
      }
      try expectEqual(
        try store.fetch(Item.all), [Item(1, rank: 9, name: "b", note: "n"), Item(2, rank: 5, name: "c")])
      try expectEqual(try store.keys(Item.where { $0.rank == 9 }), [1])
    },
  ]
}
