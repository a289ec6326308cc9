import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Statements whose sequences and closures write, one by one.
enum StatementInsideCases {
  struct Undone: Error {}

  static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self, Numbered.self)
    try TwoModels.before.put(into: store)
    return store
  }

  static func inside(
    _ name: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(10), line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REENT.\(name)", clauses, summary, without: ConformanceVariant.ofWholeTransactions, within: limit, line: line
    ) { kit in try body(store(kit)) }
  }

  /// An object of so many bytes.
  static func large(_ id: Int, code: String? = nil) -> Item {
    Item(id, code: code, note: String(repeating: "x", count: 400_000))
  }

  static let all: [ConformanceCase] = shared + own + large + makers

  private static let shared: [ConformanceCase] = [
    inside(
      "upsert-in-each-element", ["REENT-2"], "A sequence may upsert an object of another model for each of its own."
    ) {
      store in
      try store.write { tx in
        try tx.insert(
          contentsOf: (20..<26).lazy.map { id in
            _ = try? tx.upsert(Numbered(id: 100 + id, number: 100 + id))
            return Item(id, rank: id)
          })
      }
      var expected = TwoModels.before
      for id in 20..<26 {
        expected.put(Item(id, rank: id))
        expected.put(Numbered(id: 100 + id, number: 100 + id))
      }
      try expectEqual(try TwoModels(store), expected)
    },
    inside("upsert-of-itself", ["REENT-2"], "A sequence may write objects of its own model; none is lost.") { store in
      try store.write { tx in
        try tx.insert(
          contentsOf: (20..<24).lazy.map { id in
            _ = try? tx.upsert(Item(100 + id))
            return Item(id)
          })
        try expectEqual(
          try tx.upsert(
            contentsOf: (20..<24).lazy.map { id in
              try? tx.insert(contentsOf: [Item(200 + id), Item(300 + id)])
              return Item(id, name: "again")
            }), 0)
      }
      var expected = TwoModels.before
      for id in 20..<24 { expected.put(Item(id, name: "again"), Item(100 + id), Item(200 + id), Item(300 + id)) }
      try expectEqual(try TwoModels(store), expected)
    },
    inside("sequences-nest", ["REENT-2", "REENT-3"], "Sequences nest, and only the failing one is undone.") { store in
      try store.write { tx in
        try tx.insert(
          contentsOf: (20..<23).lazy.map { outer in
            try? tx.insert(
              contentsOf: (0..<3).lazy.map { middle in
                // The second of each fails: its key is there.
                try? tx.insert(
                  contentsOf: (0..<2).lazy.map { inner in
                    let id = outer * 100 + middle * 10 + inner
                    return Numbered(id: middle == 1 ? 1 + inner : id, number: -1 - id)
                  })
                return Item(outer * 10 + middle)
              })
            return Item(outer)
          })
      }
      var expected = TwoModels.before
      for outer in 20..<23 {
        expected.put(Item(outer))
        for middle in 0..<3 {
          expected.put(Item(outer * 10 + middle))
          guard middle != 1 else { continue }
          for inner in 0..<2 {
            let id = outer * 100 + middle * 10 + inner
            expected.put(Numbered(id: id, number: -1 - id))
          }
        }
      }
      try expectEqual(try TwoModels(store), expected)
    },
    inside("copy-of-a-stream", ["REENT-2", "STMT-8"], "A sequence that reads a stream fills another model.") { store in
      try store.write { tx in
        let cursor = try tx.cursor(Item.all)
        try tx.insert(
          contentsOf: sequence(state: cursor) { cursor in
            (try? cursor.next()).flatMap { $0 }.map { Numbered(id: 100 + $0.id, number: 100 + $0.id) }
          })
      }
      try expectEqual(try store.count(Numbered.all), 7)
    },
    inside(
      "duplicate-of-its-own", ["REENT-2", "CRUD-2"], "An object that the sequence stored itself is there already."
    ) {
      store in
      try store.write { tx in
        try expectError(.duplicateKey) {
          try tx.insert(
            contentsOf: (20..<23).lazy.map { id in
              if id == 21 { _ = try? tx.insert(Item(22)) }
              return Item(id)
            })
        }
        try expectEqual(try TwoModels(tx), TwoModels.before)
      }
      try expectEqual(try TwoModels(store), TwoModels.before)
    },
    inside(
      "stream-left-open", ["STMT-8", "REENT-2"], "A stream over its model that a sequence leaves open refuses it."
    ) {
      store in
      try store.write { tx in
        var cursor: ModelCursor<Item>?
        try expectError(.iterationActive) {
          try tx.insert(
            contentsOf: (20..<23).lazy.map { id in
              if id == 21 { cursor = try? tx.cursor(Item.all) }
              return Item(id)
            })
        }
        let left = try unwrap(cursor)
        try expectError(.transactionEnded) { _ = try left.next() }
        try tx.insert(Item(30))
      }
      try expectEqual(try store.count(Item.all), 5)
    },
    inside("failing-inside", ["REENT-3", "STMT-1"], "What fails inside is undone; the statement around it is not.") {
      store in
      try store.write { tx in
        _ = try tx.update(Item.self, 1) { item in
          item.name = "outer"
          try expectError(.uniqueViolation) { try tx.insert(contentsOf: [Item(30), Item(31, code: "c2")]) }
          _ = try? tx.update(Item.self, 2) { inner in
            inner.name = "inner"
            try tx.insert(Item(32))
            throw Undone()
          }
        }
      }
      var expected = TwoModels.before
      expected.items[1]?.name = "outer"
      try expectEqual(try TwoModels(store), expected)
    },
  ]

  private static let own: [ConformanceCase] = [
    inside(
      "update-changes-itself", ["CRUD-7", "STMT-1"], "An update whose closure has changed the object is conflict."
    ) {
      store in
      let changes: [(String, @Sendable (WriteTransaction) throws -> Void)] = [
        ("update", { tx in try tx.update(Item.self, 1) { $0.rank = 70 } }),
        ("same property", { tx in try tx.update(Item.self, 1) { $0.name = "inner" } }),
        ("assign", { tx in try tx.assign(Item.self, 1) { $0.rank += 1 } }),
        ("assign to all", { tx in _ = try tx.assign(Item.all) { $0.score = 2 } }),
        ("upsert", { tx in _ = try tx.upsert(Item(1, name: "new")) }),
        (
          "delete and insert",
          { tx in
            try tx.delete(Item.self, 1)
            try tx.insert(Item(1, name: "new"))
          }
        ),
        ("in a savepoint", { tx in try tx.savepoint { try tx.update(Item(1, name: "new")) } }),
      ]
      for (name, change) in changes {
        for setsAnother in [true, false] {
          try store.write { tx in
            let error = try expectError(.conflict, name) {
              try tx.update(Item.self, 1) { item in
                if setsAnother { item.name = "outer" }
                try change(tx)
              }
            }
            try expectEqual(error.model, "Item", name)
            try expectEqual(try TwoModels(tx), TwoModels.before, name)
          }
        }
      }
      try expectEqual(try TwoModels(store), TwoModels.before)
    },
    inside(
      "update-removes-itself", ["CRUD-7", "STMT-1"], "An update whose closure has removed the object is notFound."
    ) {
      store in
      try store.write { tx in
        for setsAnother in [true, false] {
          try expectError(.notFound) {
            try tx.update(Item.self, 1) { item in
              if setsAnother { item.name = "outer" }
              try tx.delete(Item.self, 1)
            }
          }
          try expectError(.notFound) { try tx.update(Item.self, 1) { _ in try tx.delete(Item.all) } }
        }
        try expectEqual(try TwoModels(tx), TwoModels.before)
      }
    },
    inside(
      "update-changes-others", ["CRUD-7", "REENT-2"], "An update's closure may update other objects of the model."
    ) {
      store in
      let stored = try store.write { tx in
        try tx.update(Item.self, 1) { first in
          first.score += 5
          try tx.update(Item.self, 2) { second in
            second.score -= 5
            try tx.update(Item.self, 3) { $0.name = "third" }
          }
        }
      }
      try expectEqual(stored, try store.get(Item.self, 1))
      var expected = TwoModels.before
      expected.items[1]?.score = 5
      expected.items[2]?.score = -5
      expected.items[3]?.name = "third"
      try expectEqual(try TwoModels(store), expected)
    },
    inside("update-undone-itself", ["CRUD-7", "TXN-3"], "A change of the object that was undone again is none.") {
      store in
      try store.write { tx in
        let stored = try tx.update(Item.self, 1) { item in
          item.name = "outer"
          do {
            try tx.savepoint {
              try tx.update(Item.self, 1) { $0.rank = 99 }
              try tx.delete(Item.self, 2)
              throw Undone()
            }
          } catch is Undone {}
          try tx.update(Item.self, 1) { $0.rank = 98 }
          try tx.update(Item.self, 1) { $0.rank = 1 }
        }
        try expectEqual(stored, Item(1, rank: 1, name: "outer"))
        try expectEqual(try tx.get(Item.self, 1), stored)
      }
    },
    inside("version", ["TXN-3", "ISO-3"], "A write's version stays that of its beginning, whatever it undoes.") {
      store in
      let before = try store.read { try $0.version }
      try store.write { tx in
        try expectEqual(try tx.version, before)
        try tx.insert(Item(20))
        try expectEqual(try tx.version, before)
        for _ in 0..<3 {
          do {
            try tx.savepoint {
              try tx.insert(Item(21))
              try expectEqual(try tx.version, before)
              throw Undone()
            }
          } catch is Undone {}
          try expectEqual(try tx.version, before)
        }
        _ = try? tx.insert(contentsOf: [Item(22), Item(20)])
        try expectEqual(try tx.version, before)
      }
      let after = try store.read { try $0.version }
      try expect(after > before)
      try store.write { tx in try? tx.savepoint { throw Undone() } }
      try expect(try store.read { try $0.version } >= after)
    },
  ]

  static func firstStorageError<R>(_ body: () throws -> R) throws -> StorageError {
    do {
      _ = try body()
    } catch let error as StorageError {
      try expect([.duplicateKey, .uniqueViolation].contains(error.code), "got the error \(error)")
      return error
    }
    throw ConformanceFailure(message: "the statement did not fail", file: #fileID, line: #line)
  }
}
