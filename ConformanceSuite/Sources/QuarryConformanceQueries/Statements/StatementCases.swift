import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum StatementCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("STMT.exchange-unique", ["STMT-2"], "Two objects exchange a unique value in one upsert.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, code: "a"), Item(2, code: "b"), Item(3, code: "c")])
      try store.upsert(contentsOf: [Item(1, code: "b"), Item(2, code: "c"), Item(3, code: "a")])
      try expectEqual(try store.fetch(Item.all).map(\.code), ["b", "c", "a"])
      try expectEqual(try store.keys(Item.where { $0.code == "a" }), [3])
    },
    ConformanceCase("STMT.shift-unique", ["STMT-2"], "An assignment may pass through states that are not unique.") {
      kit in
      let store = try kit.store(Numbered.self)
      try store.insert(contentsOf: (0..<10).map { Numbered(id: $0, number: $0) })
      try expectEqual(try store.assign(Numbered.all) { $0.number += 1 }, 10)
      try expectEqual(try store.fetch(Numbered.all).map(\.number), Array(1...10))
      try expectEqual(try store.assign(Numbered.all) { $0.number -= 1 }, 10)
      try expectEqual(try store.keys(Numbered.where { $0.number == 3 }), [3])
    },
    ConformanceCase("STMT.shift-unique-closure", ["STMT-2"], "So may a closure over a query.") { kit in
      let store = try kit.store(Numbered.self)
      try store.insert(contentsOf: (0..<10).map { Numbered(id: $0, number: $0) })
      try store.update(Numbered.all) { $0.number = 9 - $0.number }
      try expectEqual(try store.fetch(Numbered.all).map(\.number), Array((0..<10).reversed()))
    },
    ConformanceCase(
      "STMT.set-violation", ["STMT-1", "STMT-2", "IDX-1"], "An assignment that ends not unique undoes all."
    ) {
      kit in
      let store = try kit.store(Numbered.self)
      try store.insert(contentsOf: (0..<10).map { Numbered(id: $0, number: $0) })
      try store.write { tx in
        try expectError(.uniqueViolation) { try tx.assign(Numbered.where { $0.id < 5 }) { $0.number = 77 } }
        try expectError(.uniqueViolation) { try tx.assign(Numbered.where { $0.id < 5 }) { $0.number += 3 } }
        try tx.insert(Numbered(id: 10, number: 77))
      }
      try expectEqual(try store.fetch(Numbered.all).map(\.number), Array(0..<10) + [77])
    },
    ConformanceCase("STMT.both-taken", ["STMT-3"], "A taken primary key is named before a taken unique value.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, code: "a"), Item(2, code: "b")])
      try expectError(.duplicateKey) { try store.insert(Item(1, code: "a")) }
      try expectError(.duplicateKey) { try store.insert(Item(1, code: "b")) }
    },
    ConformanceCase("STMT.violation-names", ["STMT-4", "ERR-2"], "A violation names the model and the properties.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, code: "a"))
      let error = try expectError(.uniqueViolation) { try store.insert(Item(2, code: "a")) }
      try expectEqual(error.model, "Item")
      try expectEqual(error.property, "code")
    },
    ConformanceCase(
      "STMT.violation-of-second", ["STMT-4", "IDX-1"],
      "Of several unique indexes the error names the one that is violated, whatever the statement.",
      needs: [.upsert, .updateWhere], without: ConformanceVariant.ofReads
    ) { kit in
      let model = ModelSchema(
        name: "Twice",
        properties: [PropertySchema(name: "id", type: .int64)]
          + ["a", "b", "c"].map { PropertySchema(name: $0, type: .int64, isOptional: true) },
        primaryKey: 0,
        indexes: [
          IndexSchema(name: "a", columns: [.init(slot: 1)], isUnique: true),
          IndexSchema(name: "b", columns: [.init(slot: 2, isDescending: true)], isUnique: true),
          IndexSchema(name: "bc", columns: [.init(slot: 3), .init(slot: 1)], isUnique: true),
        ])
      func row(_ id: Int64, _ a: Int64?, _ b: Int64?, _ c: Int64? = nil) -> Record {
        Record([
          "id": .int(id), "a": a.map { .int($0) } ?? .null, "b": b.map { .int($0) } ?? .null,
          "c": c.map { .int($0) } ?? .null,
        ])
      }
      let rows = [row(1, 1, 1), row(2, 2, 2), row(3, nil, nil, 3)]
      let store = try kit.store(making: [model])
      try store.write { tx in
        try tx.records.insert(into: "Twice", rows)
        func isID(_ id: Int64) -> QueryTree {
          QueryTree(model: "Twice", predicate: .compare(.named("id"), .equal, .value(.int(id))))
        }
        for (property, statement) in [
          ("b", { try tx.records.insert(into: "Twice", [row(9, 9, 2)]) }),
          ("b", { try tx.records.insert(into: "Twice", [row(8, 8, 8), row(9, nil, 2)]) }),
          ("a", { try tx.records.insert(into: "Twice", [row(9, 2, 9)]) }),
          ("b", { try tx.records.upsert(into: "Twice", [row(1, 1, 2)]) }),
          ("b", { try tx.records.upsert(into: "Twice", [row(9, nil, 1)]) }),
          ("b", { try tx.records.assign(isID(1), [.init("b", .set, .int(2))]) }),
          ("b", { try tx.records.assign(isID(3), [.init("b", .set, .int(1))]) }),
          ("a", { try tx.records.assign(isID(2), [.init("a", .set, .int(1)), .init("b", .set, .int(7))]) }),
        ] as [(String, () throws -> Void)] {
          let error = try expectError(.uniqueViolation, property, statement)
          try expectEqual(error.property, property, error.message)
          try expectEqual(error.model, "Twice")
        }
      }
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Twice")) }, rows)
    },
    ConformanceCase("STMT.set-where", ["STMT-5"], "An assignment changes the query's objects and counts them.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0, name: "n") })
      let count = try store.assign(Item.where { $0.rank >= 5 }) {
        $0.rank += 100
        $0.name = "x"
        $0.note = "set"
      }
      try expectEqual(count, 5)
      try expectEqual(
        try store.keys(Item.where { $0.rank >= 105 && $0.name == "x" && $0.note == "set" }), [5, 6, 7, 8, 9])
      try expectEqual(try store.count(Item.where { $0.rank < 100 && $0.name == "n" && $0.note == nil }), 5)
    },
    ConformanceCase("STMT.set-limited", ["STMT-5"], "Order and limit choose what an assignment changes.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0) })
      let query = Item.all.sorted(by: \.rank, order: .reverse).limit(2)
      try expectEqual(try store.assign(query) { $0.note = "top" }, 2)
      try expectEqual(try store.keys(Item.where { $0.note == "top" }), [8, 9])
    },
    ConformanceCase("STMT.set-fixed-first", ["STMT-5"], "Objects are fixed before the first change.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0, rank: $0) })
      try expectEqual(try store.assign(Item.where { $0.rank >= 0 }) { $0.rank += 1000 }, 50)
      try expectEqual(try store.fetch(Item.all).map(\.rank), (1000..<1050).map { $0 })
      try expectEqual(try store.update(Item.where { $0.rank >= 0 }) { $0.rank = ($0.rank ?? 0) + 5000 }, 50)
      try expectEqual(try store.fetch(Item.all).map(\.rank), (6000..<6050).map { $0 })
    },
    ConformanceCase("STMT.set-nil", ["STMT-6"], "Nil plus a number is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: nil), Item(2, rank: 4)])
      try expectEqual(try store.assign(Item.all) { $0.rank *= 3 }, 2)
      try expectEqual(try store.fetch(Item.all).map(\.rank), [nil, 12])
    },
    ConformanceCase("STMT.add-nil", ["STMT-6"], "Nil plus or minus a number is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: nil), Item(2, rank: 4)])
      try store.assign(Item.all) { $0.rank += 3 }
      try expectEqual(try store.fetch(Item.all).map(\.rank), [nil, 7])
      try store.assign(Item.all) { $0.rank -= 1 }
      try expectEqual(try store.fetch(Item.all).map(\.rank), [nil, 6])
    },
    ConformanceCase("STMT.set-overflow", ["STMT-6", "STMT-1"], "A result that does not fit undoes all.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: 4), Item(2, rank: .max), Item(3, rank: 5)])
      try expectError(.invalidValue) { try store.assign(Item.all) { $0.rank += 1 } }
      try expectError(.invalidValue) { try store.assign(Item.all) { $0.rank *= 3 } }
      try expectEqual(try store.fetch(Item.all).map(\.rank), [4, .max, 5])
      try expectEqual(try store.assign(Item.all) { $0.rank -= 1 }, 3)
    },
    ConformanceCase("STMT.set-float", ["STMT-6"], "Floating point calculates by IEEE 754.") { kit in
      let store = try kit.store(Item.self)
      let scores = [0.1, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .nan]
      try store.insert(contentsOf: scores.enumerated().map { Item($0.offset, score: $0.element) })
      try store.assign(Item.all) { $0.score *= 10 }
      let stored = try store.fetch(Item.all).map(\.score)
      try expectEqual(stored.dropLast().map(\.bitPattern), scores.dropLast().map { ($0 * 10).bitPattern })
      try expect(stored[5].isNaN)
      try store.assign(Item.all) { $0.score -= .infinity }
      try expect(try store.fetch(Item.all)[2].score.isNaN)
    },
    ConformanceCase("STMT.set-key", ["STMT-7"], "The primary key cannot be assigned to.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try expectError(.invalidQuery) { try store.assign(Item.all) { $0.id += 1 } }
      try expectEqual(try store.keys(Item.all), [1])
    },
    ConformanceCase("STMT.set-twice", ["STMT-7"], "A property cannot be assigned to twice in one statement.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 1))
      try expectError(.invalidQuery) {
        try store.assign(Item.all) {
          $0.rank = 2
          $0.rank += 1
        }
      }
      try expectEqual(try store.get(Item.self, 1)?.rank, 1)
    },
    ConformanceCase("STMT.iteration-active", ["STMT-8"], "Writing to a model under an open cursor is refused.") { kit in
      let store = try kit.store(Item.self, Numbered.self)
      try store.insert(contentsOf: (0..<300).map { Item($0) })
      try store.write { tx in
        let cursor = try tx.cursor(Item.all)
        _ = try cursor.next()
        try expectError(.iterationActive) { try tx.insert(Item(1000)) }
        try expectError(.iterationActive) { try tx.delete(Item.self, 1) }
        try expectError(.iterationActive) { try tx.assign(Item.all) { $0.rank = 1 } }
        try tx.insert(Numbered(id: 1, number: 1))
        cursor.close()
        try tx.insert(Item(1000))
      }
      try expectEqual(try store.count(Item.all), 301)
      try expectEqual(try store.count(Numbered.all), 1)
    },
    ConformanceCase("STMT.iteration-in-closure", ["STMT-8"], "A closure over a query cannot write to its model.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<3).map { Item($0) })
      try expectError(.iterationActive) {
        try store.write { tx in try tx.update(Item.all) { _ in try tx.delete(Item.self, 2) } }
      }
      try expectEqual(try store.count(Item.all), 3)
    },
    ConformanceCase("STMT.iteration-ends", ["STMT-8"], "A cursor at its end no longer refuses writes.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<3).map { Item($0) })
      try store.write { tx in
        var seen = 0
        try tx.forEach(Item.all) { _ in seen += 1 }
        try expectEqual(seen, 3)
        try tx.delete(Item.all)
      }
      try expectEqual(try store.count(Item.all), 0)
    },
  ]
}
