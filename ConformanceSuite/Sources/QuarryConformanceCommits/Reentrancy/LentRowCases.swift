import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Rows that a cursor has read ahead, while its transaction reads a thousand others or writes to another model: what an
/// engine has lent for a short time only.
enum LentRowCases {
  /// Queries that are answered by a walk, an index, a list of keys, a list of unique values, a sort.
  private static var queries: [(name: String, query: Query<Item>)] {
    [
      ("walk", Item.all), ("index", Item.where { $0.rank == 1 }), ("index order", Item.all.sorted(by: \.rank)),
      ("keys", Item.where { [3, 9, 14, 15, 80, 81, 99].contains($0.id) }),
      ("unique values", Item.where { ["c7", "c8", "c61", "c99"].contains($0.code) }),
      ("index and filter", Item.where { $0.rank == 2 && $0.name != "name 5" }),
      ("sort", Item.all.sorted(by: \.note)),
    ]
  }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self, Plain.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: (0..<100).map {
          Item($0, rank: $0 % 3, name: "name \($0)", note: String(repeating: "n", count: $0))
        })
      try tx.insert(contentsOf: (0..<50).map { Plain($0, number: $0, name: "plain \($0)", tags: ["t"]) })
    }
    return store
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "REENT.lent-rows-read", ["REENT-1", "REENT-5"],
      "The rows of a cursor stay what they are while a thousand objects are read by their keys.", within: .seconds(60)
    ) { kit in
      let store = try store(kit)
      for (name, query) in queries {
        let due = try store.fetch(query)
        try expect(!due.isEmpty, name)
        try store.read { tx in
          var seen: [Item] = []
          try tx.forEach(query) { item in
            seen.append(item)
            guard seen.count == 1 else { return }
            for round in 0..<25 {
              for id in 0..<50 { try expectEqual(try tx.get(Plain.self, id)?.number, id, "\(name), \(round)") }
            }
            try expectEqual(try tx.fetch(Plain.where { $0.number > 10 }).count, 39, name)
          }
          try expectEqual(seen, due, name)
        }
      }
    },
    ConformanceCase(
      "REENT.lent-rows-written", ["REENT-1", "REENT-5", "STMT-8", "TXN-3"],
      "The rows of a cursor stay what they are while objects of another model are written, and savepoints undone.",
      without: ConformanceVariant.ofWholeTransactions, within: .seconds(60)
    ) { kit in
      let store = try store(kit)
      struct Undone: Error {}
      for (name, query) in queries {
        let due = try store.fetch(query)
        try store.write { tx in
          // The objects of the transaction's own are not yet where those of a committed state are.
          try tx.upsert(Item(0, rank: 0, name: "name 0", note: ""))
          var seen: [Item] = []
          try tx.forEach(query) { item in
            seen.append(item)
            try tx.upsert(Plain(seen.count % 7, number: seen.count, name: "written", tags: []))
            if seen.count % 3 == 0 { try tx.delete(Plain.self, seen.count % 5) }
            if seen.count % 4 == 0 {
              do {
                try tx.savepoint {
                  try tx.upsert(contentsOf: (1_000..<1_020).map { Plain($0, number: $0, name: "undone", tags: []) })
                  throw Undone()
                }
              } catch is Undone {}
            }
          }
          try expectEqual(seen, due, name)
        }
        try expectEqual(try store.fetch(query), due, name)
        try expectEqual(try store.count(Plain.where { $0.name == "undone" }), 0, name)
      }
    },
    sealed("read", "while 78 megabytes of another model are read by their keys", within: .seconds(60)) {
      store, query, due in
      try store.read { tx in
        var seen: [Item] = []
        try tx.forEach(query) { item in
          seen.append(item)
          guard seen.count == 1 else { return }
          for number in 0..<2_300 {
            try expectEqual(try tx.get(Plain.self, number % 4)?.number, number % 4)
          }
        }
        try expect(seen == due, "other rows than were stored")
      }
    },
    sealed("written", "while large objects of another model are written") { store, query, due in
      try store.write { tx in
        var seen: [Item] = []
        try tx.forEach(query) { item in
          seen.append(item)
          try tx.upsert(Plain(seen.count % 9, name: text("w")))
        }
        try expect(seen == due, "other rows than were stored")
      }
    },
  ]

  // MARK: Sealed stores

  /// The bytes of a text that no page holds.
  private static let large = 34_000

  private static func text(_ letter: Character) -> String { String(repeating: letter, count: large) }

  /// A sealed store, whose engine lends what it has deciphered, and queries of large rows.
  private static func sealed(
    _ name: String, _ summary: String, within limit: Duration = .seconds(20), line: Int = #line,
    _ body: @escaping @Sendable (Store, Query<Item>, [Item]) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REENT.lent-sealed-rows-\(name)", ["REENT-1", "REENT-5", "STMT-8"],
      "The large rows of a cursor over a sealed store stay what they are \(summary).",
      needs: [.openEncryption], requiresPersistence: true, without: ConformanceVariant.allButFresh, within: limit,
      line: line
    ) { kit in
      let store = try SealedScene(kit).open(1, [Item.self, Plain.self])
      let due = (0..<12).map { Item($0, rank: 1, note: text($0 % 2 == 0 ? "n" : "m")) }
      try store.insert(contentsOf: due)
      try store.insert(contentsOf: (0..<4).map { Plain($0, number: $0, name: text("p")) })
      try body(store, Item.where { $0.rank == 1 }, due)
    }
  }
}
