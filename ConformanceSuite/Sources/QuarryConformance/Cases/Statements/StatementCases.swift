import QuarryBackend
import QuarryCore

enum StatementCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("UPS.adds-or-replaces", ["UPS-1"], "An upsert adds or replaces whole, and says which.") { kit in
      let store = try kit.store(Item.self)
      try expect(try store.upsert(Item(1, rank: 1, note: "n", tags: ["t"])))
      try expect(try !store.upsert(Item(1, name: "b")))
      try expectEqual(try store.fetch(Item.self), [Item(1, name: "b")])
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
      try expectEqual(try store.fetch(Item.self).map(\.name), ["", "w", "z", ""])
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
      try expectEqual(try store.fetch(Item.self), before)
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
        try store.fetch(Item.self), [Item(1, rank: 9, name: "b", note: "n"), Item(2, rank: 5, name: "c")])
      try expectEqual(try store.keys(Item.where { $0.rank == 9 }), [1])
    },
    ConformanceCase("STMT.exchange-unique", ["STMT-2"], "Two objects exchange a unique value in one upsert.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, code: "a"), Item(2, code: "b"), Item(3, code: "c")])
      try store.upsert(contentsOf: [Item(1, code: "b"), Item(2, code: "c"), Item(3, code: "a")])
      try expectEqual(try store.fetch(Item.self).map(\.code), ["b", "c", "a"])
      try expectEqual(try store.keys(Item.where { $0.code == "a" }), [3])
    },
    ConformanceCase("STMT.shift-unique", ["STMT-2"], "An assignment may pass through states that are not unique.") {
      kit in
      let store = try kit.store(Numbered.self)
      try store.insert(contentsOf: (0..<10).map { Numbered(id: $0, number: $0) })
      try expectEqual(try store.assign(Numbered.all) { $0.number += 1 }, 10)
      try expectEqual(try store.fetch(Numbered.self).map(\.number), Array(1...10))
      try expectEqual(try store.assign(Numbered.all) { $0.number -= 1 }, 10)
      try expectEqual(try store.keys(Numbered.where { $0.number == 3 }), [3])
    },
    ConformanceCase("STMT.shift-unique-closure", ["STMT-2"], "So may a closure over a query.") { kit in
      let store = try kit.store(Numbered.self)
      try store.insert(contentsOf: (0..<10).map { Numbered(id: $0, number: $0) })
      try store.update(Numbered.all) { $0.number = 9 - $0.number }
      try expectEqual(try store.fetch(Numbered.self).map(\.number), Array((0..<10).reversed()))
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
      try expectEqual(try store.fetch(Numbered.self).map(\.number), Array(0..<10) + [77])
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
      try expectEqual(try store.fetch(Item.self).map(\.rank), (1000..<1050).map { $0 })
      try expectEqual(try store.update(Item.where { $0.rank >= 0 }) { $0.rank = ($0.rank ?? 0) + 5000 }, 50)
      try expectEqual(try store.fetch(Item.self).map(\.rank), (6000..<6050).map { $0 })
    },
    ConformanceCase("STMT.set-nil", ["STMT-6"], "Nil plus a number is nil.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: nil), Item(2, rank: 4)])
      try expectEqual(try store.assign(Item.all) { $0.rank *= 3 }, 2)
      try expectEqual(try store.fetch(Item.self).map(\.rank), [nil, 12])
    },
    ConformanceCase("STMT.set-overflow", ["STMT-6", "STMT-1"], "A result that does not fit undoes all.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: 4), Item(2, rank: .max), Item(3, rank: 5)])
      try expectError(.invalidValue) { try store.assign(Item.all) { $0.rank += 1 } }
      try expectError(.invalidValue) { try store.assign(Item.all) { $0.rank *= 3 } }
      try expectEqual(try store.fetch(Item.self).map(\.rank), [4, .max, 5])
      try expectEqual(try store.assign(Item.all) { $0.rank -= 1 }, 3)
    },
    ConformanceCase("STMT.set-float", ["STMT-6"], "Floating point calculates by IEEE 754.") { kit in
      let store = try kit.store(Item.self)
      let scores = [0.1, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .nan]
      try store.insert(contentsOf: scores.enumerated().map { Item($0.offset, score: $0.element) })
      try store.assign(Item.all) { $0.score *= 10 }
      let stored = try store.fetch(Item.self).map(\.score)
      try expectEqual(stored.dropLast().map(\.bitPattern), scores.dropLast().map { ($0 * 10).bitPattern })
      try expect(stored[5].isNaN)
      try store.assign(Item.all) { $0.score -= .infinity }
      try expect(try store.fetch(Item.self)[2].score.isNaN)
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
      try expectEqual(try store.count(Item.self), 301)
      try expectEqual(try store.count(Numbered.self), 1)
    },
    ConformanceCase("STMT.iteration-in-closure", ["STMT-8"], "A closure over a query cannot write to its model.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<3).map { Item($0) })
      try expectError(.iterationActive) {
        try store.write { tx in try tx.update(Item.all) { _ in try tx.delete(Item.self, 2) } }
      }
      try expectEqual(try store.count(Item.self), 3)
    },
    ConformanceCase("STMT.iteration-ends", ["STMT-8"], "A cursor at its end no longer refuses writes.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<3).map { Item($0) })
      try store.write { tx in
        var seen = 0
        try tx.forEach(Item.all) { _ in seen += 1 }
        try expectEqual(seen, 3)
        try tx.deleteAll(Item.self)
      }
      try expectEqual(try store.count(Item.self), 0)
    },
  ]
}
