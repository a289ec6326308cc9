import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Keys of several properties.
enum CompoundKeyCases {
  /// In the order of their keys. One text is the beginning of another, and one has a zero in it.
  private static let samples: [Stall] = [
    Stall(.min, "", 9), Stall(-1, "b", 8), Stall(0, "", 7), Stall(0, "a", 6), Stall(0, "a\0", 5), Stall(0, "a\0b", 4),
    Stall(0, "ab", 3), Stall(1, "a", 2), Stall(256, "", 1), Stall(.max, "z", 0),
  ]

  private static func stage(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Stall.self, Renter.self)
    var random = kit.random(4_200)
    try store.insert(contentsOf: samples.shuffled(using: &random))
    return store
  }

  private static func compound(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (Store, ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("KEY.compound-\(name)", clauses, summary, within: .seconds(20)) { kit in
      let store = try stage(kit)
      try body(store, kit)
      try store.expectWhole()
    }
  }

  static let all: [ConformanceCase] = [
    compound("order", ["KEY-15", "KEY-16"], "Objects come in the order of their keys' members.") { store, kit in
      try expectEqual(try store.fetch(Stall.all), samples)
      try expectEqual(try store.keys(Stall.all), samples.map(\.primaryKeyValue))
      var random = kit.random(4_201)
      let keys = samples.map(\.primaryKeyValue)
      try expectEqual(keys.shuffled(using: &random).sorted(), keys)
      try expectEqual(try store.fetch(Stall.where { $0.rent > 3 }).map(\.rent), [9, 8, 7, 6, 5, 4])
    },
    compound("get", ["KEY-15", "CRUD-3", "CRUD-4"], "A key finds its object, and another key does not.") { store, _ in
      for stall in samples {
        try expectEqual(try store.get(Stall.self, stall.primaryKeyValue), stall)
        try expect(try store.exists(Stall.self, stall.primaryKeyValue))
      }
      let missing = [Stall.Key(0, "b"), Stall.Key(2, "a"), Stall.Key(0, "a\0\0")]
      for key in missing { try expectEqual(try store.get(Stall.self, key), nil) }
      try expectEqual(
        try store.get(Stall.self, keys: [samples[4].primaryKeyValue, missing[0], samples[4].primaryKeyValue]),
        [samples[4], nil, samples[4]])
    },
    compound("insert", ["KEY-15", "KEY-19", "CRUD-2", "ERR-4"], "An insert of a stored key is refused, with its text.")
    {
      store, _ in
      for (stall, text) in [(samples[7], #"[1,"a"]"#), (samples[4], #"[0,"a\u0000"]"#)] {
        let error = try expectError(.duplicateKey) { try store.insert(Stall(stall.row, stall.name, 99)) }
        try expectEqual(error.key, text)
        try expectEqual(try store.get(Stall.self, stall.primaryKeyValue), stall)
      }
    },
    compound(
      "write", ["KEY-15", "UPS-1", "CRUD-5", "CRUD-6", "CRUD-10"], "Upserts, updates and deletes go by the key."
    ) {
      store, _ in
      let key = Stall.Key(0, "a")
      try store.upsert(Stall(0, "a", 60))
      try store.upsert(Stall(0, "c", 61))
      try expectEqual(try store.get(Stall.self, key)?.rent, 60)
      try store.update(Stall.self, key) { $0.rent += 1 }
      try store.assign(Stall.self, key) { $0.rent += 1 }
      try expectEqual(try store.getOrInsert(Stall(0, "a", 5)).rent, 62)
      try store.update(Stall(0, "a", 63), ifUnchangedFrom: Stall(0, "a", 62))
      try expectError(.conflict) { try store.update(Stall(0, "a", 1), ifUnchangedFrom: Stall(0, "a", 2)) }
      try expectError(.notFound) { try store.update(Stall(5, "a", 1)) }
      try expectEqual(try store.delete(Stall.self, keys: [key, Stall.Key(5, "a"), Stall.Key(0, "c")]), 2)
      try expect(try !store.delete(Stall.self, key))
      try expectEqual(try store.fetch(Stall.all), samples.filter { $0.primaryKeyValue != key })
    },
    compound("members", ["KEY-17", "CRUD-8"], "A member is never changed.") { store, _ in
      try expectError(.invalidValue) {
        try store.update(Stall.self, .init(0, "a")) { $0 = Stall(0, "q", $0.rent) }
      }
      for name in ["row", "name", "_key"] {
        try expectError(.invalidQuery) {
          try store.records.assign(QueryTree(model: "Stall"), [AssignmentTree(name, .set, .int(1))])
        }
      }
      try expectEqual(try store.fetch(Stall.all), samples)
    },
    compound("pages", ["KEY-16", "PAGE-1"], "Pages go on after a key, and ties of another order are in its order.") {
      store, _ in
      try store.assign(Stall.where { $0.row == 0 }) { $0.rent = 3 }
      for query in [Stall.all, Stall.all.sorted(by: \.rent), Stall.all.sorted(by: \.rent, order: .reverse)] {
        let due = try store.fetch(query)
        var page = try store.page(query, size: 3)
        var found = page.elements
        while let next = page.next {
          page = try store.page(query.after(next), size: 3)
          found += page.elements
        }
        try expectEqual(found, due)
      }
      try expectEqual(
        try store.fetch(Stall.all.sorted(by: \.rent).limit(6)).map(\.name), ["z", "", "a", "", "a", "a\0"])
    },
    compound("references", ["KEY-15", "REL-1"], "A reference leads to an object by its compound key.") { store, _ in
      let (first, second) = (samples[4].primaryKeyValue, samples[7].primaryKeyValue)
      let error = try expectError(.missingReference) { try store.insert(Renter(1, .init(0, "b"))) }
      try expectEqual(error.property, "stall")
      try store.insert(contentsOf: [
        Renter(1, first, second), Renter(2, second), Renter(3, samples[0].primaryKeyValue, first),
      ])
      try expectEqual(try store.get(try store.get(Renter.self, 1)?.second), samples[7])
      try expectEqual(try store.keys(Renter.where { $0.stall == Ref(second) }), [2])
      try expectEqual(try store.keys(Renter.where { $0.stall.rent > 4 }), [1, 3])
      try expect(try store.delete(Stall.self, first))
      try expectEqual(try store.fetch(Renter.all), [Renter(2, second), Renter(3, samples[0].primaryKeyValue)])
    },
    compound("records", ["KEY-20"], "Records have the members as arrays, and the store computes the key.") { store, _ in
      try store.records.insert(into: "Stall", [Record(["row": 3, "name": "n", "rent": 1])])
      try expectEqual(try store.get(Stall.self, .init(3, "n")), Stall(3, "n", 1))
      try expectEqual(try store.records.get(in: "Stall", key: .array([3, "n"]))?["_key"], .array([3, "n"]))
      try store.records.insert(into: "Renter", [Record(["id": 9, "stall": .array([3, "n"])])])
      try expectEqual(try store.records.get(in: "Renter", key: 9)?["stall"], .array([3, "n"]))
      let wrong = Record(["row": 4, "name": "n", "rent": 1, "_key": .array([3, "m"])])
      let error = try expectError(.invalidValue) { try store.records.insert(into: "Stall", [wrong]) }
      try expectEqual(error.key, #"[3,"m"]"#)
      try expectError(.missingValue) { try store.records.insert(into: "Stall", [Record(["row": 4, "rent": 1])]) }
      try expectEqual(try store.records.delete(in: "Stall", keys: [.array([3, "n"])]), 1)
      try expectEqual(try store.count(Renter.all), 0)
    },
    compound("transaction", ["KEY-15", "TXN-3"], "A savepoint and a rollback undo writes of compound keys.") {
      store, _ in
      struct Stop: Error {}
      do {
        try store.write { tx in
          try tx.insert(Stall(7, "x"))
          try? tx.savepoint {
            try tx.delete(Stall.self, samples[3].primaryKeyValue)
            throw Stop()
          }
          try expectEqual(try tx.fetch(Stall.all).count, samples.count + 1)
          throw Stop()
        }
      } catch is Stop {}
      try expectEqual(try store.fetch(Stall.all), samples)
    },
    compound("schema", ["KEY-18", "SCH-1"], "A store refuses a compound key that is none.") { store, _ in
      let members = [KeyMember(.int64), KeyMember(.string)]
      let right = ModelSchema(
        name: "Pair",
        properties: [
          PropertySchema(name: "a", type: .int64), PropertySchema(name: "b", type: .string),
          PropertySchema(name: "_key", type: .data, keyMembers: members),
        ], primaryKey: 2, keyMembers: [0, 1])
      let changes: [@Sendable (inout ModelSchema) -> Void] = [
        { $0.properties[0].isOptional = true }, { $0.keyMembers = [0] }, { $0.keyMembers = [0, 0] },
        { $0.keyMembers = [1, 0] }, { $0.keyMembers = nil }, { $0.keyGeneration = .sequence },
        { $0.properties[2].keyMembers = nil }, { $0.properties[1].type = .nested },
      ]
      for (number, change) in changes.enumerated() {
        var wrong = right
        change(&wrong)
        try expectError(.schemaMismatch, "\(number)") { try store.write { try $0.apply(.createModel(wrong)) } }
      }
      try store.write { try $0.apply(.createModel(right)) }
    },
    ConformanceCase(
      "KEY.compound-reopened", ["KEY-15", "KEY-16", "KEY-21"], "A store keeps compound keys when it is opened again.",
      requiresPersistence: true, without: ConformanceVariant.ofReads, within: .seconds(20)
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Stall.self, Renter.self], at: place)
      try first.insert(contentsOf: samples.reversed())
      try first.insert(Renter(1, samples[4].primaryKeyValue))
      try first.close()
      let store = try kit.open([Stall.self, Renter.self], at: place)
      try expectEqual(try store.fetch(Stall.all), samples)
      try expectEqual(try store.get(Renter.self, 1)?.stall.key, samples[4].primaryKeyValue)
      try store.expectWhole()
    },
    compound("random", ["KEY-15", "KEY-16"], "Random writes leave what a dictionary of keys has.") { store, kit in
      var random = kit.random(4_201)
      var due = Dictionary(uniqueKeysWithValues: samples.map { ($0.primaryKeyValue, $0) })
      let names = ["", "a", "a\0", "\0", "é", "e\u{301}", "zz"]
      for number in 0..<300 {
        let stall = Stall(Int64.random(in: -2...2, using: &random), names.randomElement(using: &random) ?? "", number)
        let key = stall.primaryKeyValue
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try expectEqual(try store.delete(Stall.self, key), due.removeValue(forKey: key) != nil)
        case 1:
          try store.upsert(stall)
          due[key] = stall
        default: try expectEqual(try store.get(Stall.self, key), due[key])
        }
      }
      try expectEqual(try store.fetch(Stall.all), due.keys.sorted().compactMap { due[$0] })
    },
  ]
}
