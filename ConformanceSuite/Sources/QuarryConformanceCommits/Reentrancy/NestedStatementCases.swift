import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Updates inside the closures of updates, and cursors whose savepoints end.
enum NestedStatementCases {
  static let all: [ConformanceCase] = updates + [assigned] + cursors

  private static func nested(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REENT.\(name)", clauses, summary, without: ConformanceVariant.ofWholeTransactions, line: line
    ) { kit in
      let store = try kit.store(Item.self, Numbered.self)
      try store.insert(contentsOf: (1...6).map { Item($0, rank: $0, name: "n\($0)", note: "note \($0)") })
      try store.insert(contentsOf: (1...3).map { Numbered(id: $0, number: $0) })
      try body(store)
    }
  }

  // MARK: Updates

  private static let updates: [ConformanceCase] = [
    nested("update-in-update", ["REENT-2", "CRUD-7"], "An update in the closure of an update changes its own object.") {
      store in
      try store.write { tx in
        let outer = try tx.update(Item.self, 1) { one in
          one.rank = 10
          let inner = try tx.update(Item.self, 2) { two in
            two.note = nil
            two.name = String(repeating: "long", count: 500)
            try tx.update(Item.self, 3) { $0.tags = ["x", "y"] }
            two.rank = 20
          }
          try expectEqual(inner.rank, 20)
          one.score = 2
        }
        try expectEqual(outer, Item(1, rank: 10, name: "n1", score: 2, note: "note 1"))
      }
      try expectEqual(
        try store.fetch(Item.where { $0.id <= 3 }),
        [
          Item(1, rank: 10, name: "n1", score: 2, note: "note 1"),
          Item(2, rank: 20, name: String(repeating: "long", count: 500)),
          Item(3, rank: 3, name: "n3", note: "note 3", tags: ["x", "y"]),
        ])
    },
    nested("update-in-update-unchanged", ["REENT-2", "CRUD-7"], "An outer update that changes nothing writes nothing.")
    {
      store in
      try store.write { tx in
        try tx.update(Item.self, 1) { _ in try tx.update(Item.self, 2) { $0.name = "other" } }
        try tx.update(Item.self, 3) { three in
          three.name = "outer"
          try tx.update(Item.self, 4) { _ in }
        }
      }
      try expectEqual(try store.fetch(Item.all).map(\.name), ["n1", "other", "outer", "n4", "n5", "n6"])
      try expectEqual(try store.fetch(Item.all).map(\.note), (1...6).map { "note \($0)" })
    },
    nested(
      "update-in-update-fails", ["REENT-3", "CRUD-7"], "An inner update that fails leaves the outer one its object."
    ) {
      store in
      try store.write { tx in
        try tx.update(Item.self, 1) { one in
          one.name = "changed"
          try expectError(.notFound) { try tx.update(Item.self, 99) { $0.name = "x" } }
          try expectError(.uniqueViolation) { try tx.update(Item.self, 2) { $0.code = "c3" } }
          try expectAbandoned {
            try tx.update(Item.self, 3) { three in
              three.name = "x"
              throw Abandoned()
            }
          }
        }
        try expectError(.invalidValue) {
          try tx.update(Item.self, 4) { four in
            try tx.update(Item.self, 5) { $0.name = "undone" }
            four.id = 40
          }
        }
      }
      try expectEqual(try store.fetch(Item.all).map(\.name), ["changed", "n2", "n3", "n4", "n5", "n6"])
      try expectEqual(try store.fetch(Item.all).map(\.code), (1...6).map { "c\($0)" })
    },
    nested(
      "update-in-update-itself", ["CRUD-7", "REENT-3"], "A change of its own object is a conflict; undone, it is none."
    ) { store in
      try store.write { tx in
        for change in [
          { try tx.assign(Item.self, 1) { $0.note = "other" } }, { try tx.update(Item(1, name: "whole")) },
          { try tx.update(Item.self, 1) { $0.score = 3 } }, { _ = try tx.upsert(Item(1)) },
          { try tx.assign(Item.all) { $0.rank = 9 } },
        ] as [() throws -> Void] {
          try expectError(.conflict) {
            try tx.update(Item.self, 1) { one in
              one.name = "outer"
              try change()
            }
          }
          try tx.update(Item.self, 1) { one in
            one.rank = (one.rank ?? 0) + 1
            try expectAbandoned {
              try tx.savepoint {
                try change()
                throw Abandoned()
              }
            }
          }
        }
        try expectError(.notFound) {
          try tx.update(Item.self, 2) { two in
            two.name = "gone"
            try tx.delete(Item.self, 2)
          }
        }
      }
      try expectEqual(try store.get(Item.self, 1), Item(1, rank: 6, name: "n1", note: "note 1"))
      try expectEqual(try store.fetch(Item.all).map(\.id), [1, 2, 3, 4, 5, 6])
    },
    nested(
      "update-in-query-update", ["REENT-2", "REENT-5"], "The closure of an update over a query updates other models."
    ) {
      store in
      try store.write { tx in
        let count = try tx.update(Item.where { $0.id <= 3 }) { (item: inout Item) in
          item.name = "q"
          try tx.update(Numbered.self, item.id) { numbered in
            numbered.number += 100
            try expectError(.iterationActive) { try tx.update(Item.self, 5) { $0.name = "x" } }
          }
        }
        try expectEqual(count, 3)
        try tx.update(Item.self, 5) { $0.name = "after" }
      }
      try expectEqual(try store.fetch(Numbered.all).map(\.number), [101, 102, 103])
      try expectEqual(try store.fetch(Item.all).map(\.name), ["q", "q", "q", "n4", "after", "n6"])
    },
    nested(
      "insert-in-every-closure", ["REENT-2", "REENT-3", "STMT-1"], "Statements of three kinds nest, and end in turn."
    ) {
      store in
      try store.write { tx in
        try expectError(.duplicateKey) {
          try tx.insert(
            contentsOf: [7, 8, 1].lazy.map { id in
              _ = try? tx.getOrInsert(Numbered.self, id * 10) {
                try tx.update(Item.self, 6) { $0.rank = ($0.rank ?? 0) + 100 }
                return Numbered(id: id * 10, number: id * 10)
              }
              return Item(id)
            })
        }
        try expectEqual(try tx.get(Item.self, 6)?.rank, 6)
        try expectEqual(try tx.count(Numbered.all), 3)
        _ = try tx.getOrInsert(Numbered.self, 70) {
          try tx.insert(contentsOf: [Item(7), Item(8)])
          return Numbered(id: 70, number: 70)
        }
      }
      try expectEqual(try store.fetch(Item.all).map(\.id), Array(1...8))
      try expectEqual(try store.count(Numbered.all), 4)
    },
  ]

  private static let assigned = nested(
    "assigned-after-several", ["CRUD-13", "STMT-7", "CRUD-12"],
    "An assignment writes its own properties, whatever the one before it wrote, and needs an object that is stored."
  ) { store in
    try store.write { tx in
      try tx.assign(Item.self, 1) {
        $0.rank = 10
        $0.note = "both"
      }
      try tx.assign(Item.self, 2) { $0.rank = 20 }
      try tx.assign(Item.self, 3) { $0.note = nil }
      try tx.assign(Item.self, 4) {
        $0.note = "other"
        $0.rank = nil
      }
      try tx.assign(Item.self, 5) { $0.note = "one" }
      try tx.assign(Item.self, 6) { _ in }
      try expectError(.notFound) { try tx.assign(Item.self, 99) { _ in } }
      try expectError(.notFound) { try tx.assign(Item.self, 99) { $0.rank = 1 } }
      try expectEqual(try tx.exists(Item.all.limit(0)), false)
      try expectEqual(try tx.exists(Item.all.offset(6)), false)
      try expectEqual(try tx.exists(Item.all.offset(5)), true)
    }
    try expectEqual(try store.fetch(Item.all).map(\.rank), [10, 20, 3, nil, 5, 6])
    try expectEqual(try store.fetch(Item.all).map(\.note), ["both", "note 2", nil, "other", "one", "note 6"])
    try expectEqual(try store.fetch(Item.all).map(\.name), (1...6).map { "n\($0)" })
  }

  // MARK: Cursors

  private static let cursors: [ConformanceCase] = [
    nested("cursor-of-undone-number", ["STMT-8", "TXN-3"], "A cursor that ended with its savepoint stays ended.") {
      store in
      try store.write { tx in
        for writes in [false, true] {
          var ended: [ModelCursor<Item>] = []
          try expectAbandoned {
            try tx.savepoint {
              if writes { try tx.insert(Item(50)) }
              ended = [try tx.cursor(Item.all), try tx.cursor(Item.where { $0.rank > 2 })]
              _ = try ended[0].next()
              throw Abandoned()
            }
          }
          // Others that are opened afterwards do not bring them back.
          let others = [try tx.cursor(Numbered.all), try tx.cursor(Numbered.all)]
          for cursor in ended { try expectError(.transactionEnded) { try cursor.next() } }
          try tx.insert(Item(60))
          try tx.delete(Item.self, 60)
          for other in others { try expectEqual(try other.next()?.id, 1) }
          for cursor in ended {
            cursor.close()
            try expectEqual(try cursor.next(), nil)
          }
          try expectError(.iterationActive) { try tx.delete(Numbered.self, 1) }
          for other in others { other.close() }
        }
      }
      try expectEqual(try store.count(Item.all), 6)
    },
    nested("cursor-outside-undone", ["STMT-8", "TXN-3"], "A cursor from before a savepoint that is undone continues.") {
      store in
      try store.write { tx in
        let outer = try tx.cursor(Item.all)
        try expectEqual(try outer.next()?.id, 1)
        try expectAbandoned {
          try tx.savepoint {
            try tx.insert(Numbered(id: 9, number: 9))
            let inner = try tx.cursor(Item.all)
            try expectEqual(try inner.next()?.id, 1)
            try expectEqual(try outer.next()?.id, 2)
            try expectError(.iterationActive) { try tx.insert(Item(70)) }
            throw Abandoned()
          }
        }
        try expectError(.iterationActive) { try tx.insert(Item(70)) }
        try expectEqual(try outer.next()?.id, 3)
        var left: [Int] = []
        while let item = try outer.next() { left.append(item.id) }
        try expectEqual(left, [4, 5, 6])
        try tx.insert(Item(70))
      }
      try expectEqual(try store.fetch(Item.all).map(\.id), [1, 2, 3, 4, 5, 6, 70])
    },
    nested(
      "cursor-of-kept-in-undone", ["STMT-8", "TXN-3"], "A cursor of a kept savepoint ends with the undone one around."
    ) {
      store in
      try store.write { tx in
        var cursor: ModelCursor<Item>?
        try expectAbandoned {
          try tx.savepoint {
            try tx.savepoint {
              try tx.insert(Numbered(id: 8, number: 8))
              cursor = try tx.cursor(Item.all)
            }
            try expectEqual(try unwrap(cursor).next()?.id, 1)
            throw Abandoned()
          }
        }
        try expectError(.transactionEnded) { try unwrap(cursor).next() }
        try tx.insert(Item(70))
        cursor = try tx.savepoint { try tx.cursor(Item.all) }
        try expectEqual(try unwrap(cursor).next()?.id, 1)
        cursor?.close()
      }
    },
    nested(
      "cursor-of-failed-statement", ["STMT-8", "STMT-1"], "A cursor that a failing statement opened ends with it."
    ) {
      store in
      try store.write { tx in
        var cursor: ModelCursor<Item>?
        let before = try tx.cursor(Numbered.all)
        for isWriting in [false, true] {
          try expectAbandoned {
            try tx.update(Item.self, 1) { one in
              if isWriting { try tx.update(Item.self, 2) { $0.name = "x" } }
              cursor = try tx.cursor(Item.all)
              throw Abandoned()
            }
          }
          try expectError(.transactionEnded) { try unwrap(cursor).next() }
        }
        try tx.update(Item.self, 1) { $0.name = "free" }
        try expectEqual(try before.next()?.id, 1)
        before.close()
      }
      try expectEqual(try store.fetch(Item.all).map(\.name), ["free", "n2", "n3", "n4", "n5", "n6"])
    },
    nested(
      "cursor-loop-throws", ["STMT-8"], "A loop over a cursor closes it, also when its body throws: its model is free."
    ) { store in
      try store.write { tx in
        for stopsAt in [1, 3] {
          let cursor = try tx.cursor(Item.all)
          try expectAbandoned {
            try cursor.forEach { item in
              try expectError(.iterationActive) { try tx.delete(Item.self, item.id) }
              if item.id == stopsAt { throw Abandoned() }
            }
          }
          try tx.insert(Item(70 + stopsAt))
          try expectEqual(try cursor.next(), nil)
        }
      }
      try expectEqual(try store.fetch(Item.all).map(\.id), [1, 2, 3, 4, 5, 6, 71, 73])
    },
  ]
}
