import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Streams, and what happens to the transaction while they are open.
enum StreamInsideCases {
  private struct Undone: Error {}

  /// Many more items than a batch of rows has, and some numbers.
  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self, Numbered.self)
    try store.insert(contentsOf: items)
    try store.insert(contentsOf: (0..<50).map { Numbered(id: $0, number: $0) })
    return store
  }

  private static let items = (0..<300).map { Item($0, rank: $0 % 7, name: "name of \($0)") }

  private static func undoing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch is Undone {}
  }

  /// What is done for each object of a stream, which goes on.
  private static let disturbances: [(name: String, run: @Sendable (WriteTransaction, Int) throws -> Void)] = [
    ("savepoint-undone", { tx, _ in try undoing { try tx.savepoint { throw Undone() } } }),
    (
      "writes-undone",
      { tx, id in
        try undoing {
          try tx.savepoint {
            try tx.insert(Numbered(id: 1000 + id, number: 1000 + id))
            try tx.delete(Numbered.all)
            throw Undone()
          }
        }
      }
    ),
    (
      "savepoints-undone-in-one-another",
      { tx, id in
        try undoing {
          try tx.savepoint {
            try undoing { try tx.savepoint { throw Undone() } }
            try tx.savepoint { try tx.insert(Numbered(id: 1000 + id, number: 1000 + id)) }
            throw Undone()
          }
        }
      }
    ),
    (
      "failing-insert",
      { tx, id in
        try expectError(.duplicateKey) {
          try tx.insert(contentsOf: [Numbered(id: 1000, number: 1000), Numbered(id: id % 50, number: -1)])
        }
      }
    ),
    (
      "failing-upsert",
      { tx, id in
        try expectError(.uniqueViolation) {
          try tx.upsert(contentsOf: [Numbered(id: 1000, number: 1000), Numbered(id: 1001, number: id % 50)])
        }
      }
    ),
    (
      "failing-assignment",
      { tx, _ in
        try expectError(.uniqueViolation) { try tx.assign(Numbered.all) { $0.number = 7 } }
      }
    ),
    (
      "failing-update",
      { tx, _ in
        try undoing {
          try tx.update(Numbered.self, 1) { _ in
            try tx.insert(Numbered(id: 1000, number: 1000))
            throw Undone()
          }
        }
      }
    ),
    (
      "queries-in-savepoint",
      { tx, id in
        try undoing {
          try tx.savepoint {
            try expectEqual(try tx.fetch(Item.where { $0.rank == 3 }).count, 43)
            // Longer than engines take as constants of one statement.
            let ids = Array(0..<2500)
            try expectEqual(try tx.count(Item.where { $0.id.isIn(ids) }), 300)
            try expectEqual(try tx.first(Item.where { $0.id >= id })?.id, id)
            throw Undone()
          }
        }
      }
    ),
    (
      "writes-kept",
      { tx, id in
        try tx.savepoint { try tx.upsert(Numbered(id: 1000 + id, number: 1000 + id)) }
        try tx.delete(Numbered.self, 1000 + id)
      }
    ),
  ]

  private static let queries: [(name: String, query: Query<Item>, ids: [Int])] = [
    ("by-key", Item.all, Array(0..<300)),
    (
      "by-index", Item.where { $0.rank >= 3 }.sorted(by: \.rank),
      (3..<7).flatMap { rank in
        items.filter { $0.rank == rank }.map(\.id)
      }
    ),
    (
      "filtered", Item.where { $0.note == nil && $0.name.contains("of 2") },
      items.filter { $0.name.contains("of 2") }.map(\.id)
    ),
    ("sorted", Item.all.sorted(by: \.name, order: .reverse), items.sorted { $0.name > $1.name }.map(\.id)),
  ]

  static let all: [ConformanceCase] = goingOn + ending + asynchronous

  private static let goingOn: [ConformanceCase] = disturbances.flatMap { disturbance in
    [
      ConformanceCase(
        "REENT.stream-goes-on.\(disturbance.name)", ["STMT-8", "REENT-1"],
        "A stream goes on, row by row, whatever happens to another model: \(disturbance.name).",
        without: ConformanceVariant.ofWholeTransactions, within: .seconds(60)
      ) { kit in
        let store = try store(kit)
        for (name, query, ids) in queries {
          try store.write { tx in
            var seen: [Item] = []
            try tx.forEach(query) { item in
              if seen.count % 13 == 0 { try disturbance.run(tx, item.id) }
              seen.append(item)
            }
            try expectEqual(seen.map(\.id), ids, name)
            try expectEqual(seen, ids.map { items[$0] }, name)
            var count = 0
            count = try tx.update(query) { item in if item.id % 50 == 0 { try disturbance.run(tx, item.id) } }
            try expectEqual(count, ids.count, name)
          }
        }
        try expectEqual(try store.fetch(Item.all), items)
        try expectEqual(try store.fetch(Numbered.all), (0..<50).map { Numbered(id: $0, number: $0) })
      }
    ]
  }

  private static func inside(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [], line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REENT.\(name)", clauses, summary, needs: needs, without: ConformanceVariant.ofWholeTransactions,
      within: .seconds(30),
      line: line
    ) { kit in try body(store(kit)) }
  }

  private static let ending: [ConformanceCase] = [
    inside("two-streams-one-closed", ["STMT-8"], "Of two streams over one model each protects it until its end.") {
      store in
      try store.write { tx in
        for first in [true, false] {
          let cursors = [try tx.cursor(Item.all), try tx.cursor(Item.where { $0.id >= 100 })]
          for cursor in cursors { _ = try cursor.next() }
          let (closed, left) = first ? (cursors[0], cursors[1]) : (cursors[1], cursors[0])
          closed.close()
          closed.close()
          try expectError(.iterationActive) { try tx.insert(Item(1000)) }
          try expectError(.iterationActive) { try tx.delete(Item.self, 1) }
          var count = 0
          while try left.next() != nil { count += 1 }
          try expectEqual(count, first ? 199 : 299)
          try tx.insert(Item(1000))
          try tx.delete(Item.self, 1000)
        }
      }
      try expectEqual(try store.fetch(Item.all), items)
    },
    inside("two-streams-one-let-go", ["STMT-8"], "A stream that is let go takes no other's protection with it.") {
      store in
      try store.write { tx in
        let outer = try tx.cursor(Item.all)
        _ = try outer.next()
        for _ in 0..<3 { _ = try tx.cursor(Item.all).next() }
        try tx.forEach(Item.where { $0.id < 3 }) { _ in }
        try expectError(.iterationActive) { try tx.insert(Item(1000)) }
        try expectEqual(try outer.next(), items[1])
        outer.close()
        try tx.insert(Item(1000))
      }
    },
    inside(
      "stream-of-an-undone-savepoint", ["STMT-8", "TXN-3"], "A stream ends with the savepoint that it was opened in."
    ) {
      store in
      for writes in [true, false] {
        try store.write { tx in
          var left: ModelCursor<Item>?
          let before = try tx.cursor(Numbered.all)
          _ = try before.next()
          try undoing {
            try tx.savepoint {
              if writes { try tx.insert(Item(5000)) }
              let cursor = try tx.cursor(Item.all.sorted(by: \.id, order: .reverse))
              try expectEqual(try cursor.next()?.id, writes ? 5000 : 299)
              left = cursor
              throw Undone()
            }
          }
          let cursor = try unwrap(left)
          try expectError(.transactionEnded) { _ = try cursor.next() }
          // It protects nothing any more.
          try tx.insert(Item(6000))
          try tx.delete(Item.self, 6000)
          try expectError(.transactionEnded) { _ = try cursor.next() }
          try expectEqual(try before.next(), Numbered(id: 1, number: 1))
        }
      }
      try expectEqual(try store.fetch(Item.all), items)
    },
    inside(
      "stream-of-a-kept-savepoint", ["STMT-8"],
      "A stream outlives the savepoint that it was opened in and that is kept."
    ) {
      store in
      try store.write { tx in
        let cursor = try tx.savepoint {
          try tx.insert(Item(5000))
          let cursor = try tx.cursor(Item.all)
          _ = try cursor.next()
          return cursor
        }
        try undoing { try tx.savepoint { throw Undone() } }
        var count = 1
        while try cursor.next() != nil { count += 1 }
        try expectEqual(count, 301)
        // Around both savepoints: the stream was opened in what is undone.
        var left: ModelCursor<Item>?
        try undoing {
          try tx.savepoint {
            left = try tx.savepoint { try tx.cursor(Item.all) }
            throw Undone()
          }
        }
        try expectError(.transactionEnded) { _ = try left?.next() }
      }
    },
    inside(
      "stream-after-a-schema-change", ["STMT-8", "TXN-3"], "A stream goes on in a transaction that changed the schema."
    ) {
      store in
      try store.write { tx in
        try tx.apply(
          .createModel(ModelSchema(name: "New", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)))
        for (name, query, ids) in queries {
          var seen: [Int] = []
          try tx.forEach(query) { item in
            if seen.count % 40 == 0 {
              try undoing {
                try tx.savepoint {
                  try tx.records.insert(into: "New", [Record(["id": .int(1)])])
                  throw Undone()
                }
              }
              try expectError(.duplicateKey) {
                try tx.insert(contentsOf: [Numbered(id: 1000, number: 1000), Numbered(id: 1, number: 1001)])
              }
            }
            try expectEqual(item, items[item.id])
            seen.append(item.id)
          }
          try expectEqual(seen, ids, name)
        }
        try expectEqual(try tx.records.count(QueryTree(model: "New")), 0)
      }
    },
    inside(
      "stream-with-a-long-list", ["STMT-8", "PRED-5"], "A stream over a long list of keys goes on like any other."
    ) { store in
      let ids = Array(0..<2500).filter { $0 % 2 == 0 }
      try store.write { tx in
        var seen: [Int] = []
        try tx.forEach(Item.where { $0.id.isIn(ids) }) { item in
          seen.append(item.id)
          if seen.count % 20 == 0 {
            try undoing {
              try tx.savepoint {
                try expectEqual(try tx.count(Item.where { $0.id.isIn(ids) }), 150)
                try tx.delete(Numbered.all)
                throw Undone()
              }
            }
          }
        }
        try expectEqual(seen, Array(stride(from: 0, to: 300, by: 2)))
      }
    },
    inside("stream-body-throws", ["REENT-3", "STMT-8"], "What a stream's body has written stays when it throws.") {
      store in
      try store.write { tx in
        try undoing {
          try tx.forEach(Item.all) { item in
            try tx.insert(Numbered(id: 1000 + item.id, number: 1000 + item.id))
            if item.id == 70 { throw Undone() }
          }
        }
        try tx.insert(Item(1000))
      }
      try expectEqual(try store.count(Numbered.all), 50 + 71)
    },
  ]

  private static let asynchronous: [ConformanceCase] = [
    ConformanceCase(
      "REENT.async-stream", ["REENT-8", "SNAP-1", "OPEN-3"],
      "The loop over an asynchronous stream makes any call; the stream gives its own state.", needs: [.snapshots],
      without: ConformanceVariant.ofWholeTransactions, within: .seconds(30)
    ) { kit in
      let store = try store(kit)
      var seen: [Item] = []
      for try await item in store.stream(Item.all, batchSize: 40) {
        switch item.id {
        case 5: try await store.write { try $0.insert(Item(5000)) }
        case 50: try await store.write { tx in _ = try tx.delete(Item.all) }
        case 90:
          let frozen = try store.freeze()
          let left = try await frozen.count(Item.all)
          try expectEqual(left, 0)
          frozen.close()
        case 130:
          var inner = 0
          for try await _ in store.stream(Numbered.all, batchSize: 7) { inner += 1 }
          try expectEqual(inner, 50)
        default: break
        }
        seen.append(item)
      }
      let left = try await store.count(Item.all)
      try expectEqual(seen, items)
      try expectEqual(left, 0)
    },
    ConformanceCase(
      "REENT.async-stream-close", ["REENT-7", "OPEN-3"],
      "A store that is closed in the loop over a stream ends it: closed.",
      needs: [.snapshots], without: ConformanceVariant.ofWholeTransactions, within: .seconds(30)
    ) { kit in
      let store = try store(kit)
      var seen: [Item] = []
      do {
        for try await item in store.stream(Item.all, batchSize: 40) {
          if item.id == 50 { try store.close() }
          seen.append(item)
        }
        throw ConformanceFailure(message: "the stream went on", file: #fileID, line: #line)
      } catch let error as StorageError { try expectEqual(error.code, .closed) }
      try expectEqual(seen, Array(items.prefix(seen.count)))
    },
  ]
}
