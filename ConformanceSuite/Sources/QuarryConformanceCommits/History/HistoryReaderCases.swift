import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Updates of a history, change sets of which a part is gone, and what concerns each writer alone.
enum HistoryReaderCases {
  static let all: [ConformanceCase] = writers + updates + statements + parts

  /// A case with a store and asynchronous calls.
  private static func history(
    _ name: String, _ clauses: [String], _ summary: String, _ option: HistoryOption = .on(keeping: .forever),
    without: Set<ConformanceVariant> = [], within limit: Duration = .seconds(30),
    _ body: @escaping @Sendable (Store) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("HIST.\(name)", clauses, summary, without: without, within: limit) { kit in
      try await body(try HistoryScene.store(kit, option))
    }
  }

  // Synchronous, because expectations take no asynchronous call.
  private static func insert(_ ids: ClosedRange<Int>, _ store: Store) throws {
    for id in ids { try store.insert(Poet(id, "")) }
  }

  private static func sets(_ store: Store, after position: HistoryPosition? = nil) throws -> [HistorySet] {
    try store.history(after: position)
  }

  private static func poets(_ set: HistorySet) throws -> [Int] {
    try set.changes(of: Poet.self).compactMap { $0.new?.id }
  }

  // MARK: Writers

  private static let writers: [ConformanceCase] = [
    ConformanceCase(
      "HIST.shared-commit", ["HIST-4", "TXN-11"],
      "Each of the writers that share a commit has a change set of its own.",
      without: [.overwritten], within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place, options: HistoryScene.options())
      store.shareCommits(for: .seconds(60))
      let start = try newest(store)
      let writers = (0..<6).map { number in
        WaitingWriters.Writer(isTask: number % 2 == 1, author: "writer \(number)") { tx in
          try tx.insert(Item(number))
          if number == 2 { throw Abandoned() }
          if number > 0 { try tx.update(Item.self, 0) { $0.name = "\(number)" } }
        }
      }
      let waiting = try await WaitingWriters(store, writers)
      place.set(\.commits, 0)
      let ended = GroupCommitCases.codes(try await waiting.run())
      try expectEqual(ended, ["done", "done", "Abandoned", "done", "done", "done"])
      // The one that was waited for, and one for all.
      try expectEqual(place.get(\.commits), 2)
      let found = try sets(store, after: start)
      try expectEqual(found.map(\.author), [0, 1, 3, 4, 5].map { "writer \($0)" })
      try expectEqual(found.map(\.position), found.map(\.position).sorted())
      try expectEqual(Set(found.map(\.position)).count, 5)
      for (set, number) in zip(found, [0, 1, 3, 4, 5]) {
        let changes = try set.changes(of: Item.self)
        try expectEqual(changes.map { $0.new?.id }, number == 0 ? [0] : [0, number], "writer \(number)")
        if number > 0 { try expectEqual(changes.first?.new?.name, "\(number)") }
      }
      try store.close()
    }.only(.one),
    history("author-of-a-task", ["HIST-6"], "An asynchronous write has its author.") { store in
      try await store.write(author: "task") { tx in try tx.insert(Poet(9, "")) }
      try expectEqual(try sets(store).map(\.author), ["fill", "task"])
    },
    history(
      "left-out-and-observed", ["HIST-5"], "A model that is left out has no changes while somebody observes it.",
      .on(keeping: .forever, leavingOut: ["Poet"]), without: ConformanceVariant.ofWriter
    ) { store in
      let start = try newest(store)
      let token = try store.observe(Poet.all) { _ in }
      defer { withExtendedLifetime(token) {} }
      try insert(9...10, store)
      try store.update(Poet.self, 3) { $0.name = "other" }
      try expectEqual(try sets(store, after: start).count, 0)
      try store.write { tx in
        try tx.update(Poet.self, 3) { $0.name = "another" }
        try tx.update(Poem.self, 4) { $0.title = "recorded" }
      }
      try expectEqual(try sets(store, after: start).map(\.models), [["Poem"]])
    },
    ConformanceCase(
      "HIST.undo-by-rules", ["HIST-13", "RULE-1"], "An undo stores no object that breaks the rules of its model."
    ) { kit in
      let store = try kit.open([Tariff.self], at: kit.makePlace(), options: HistoryScene.options())
      try store.insert(contentsOf: [Tariff(1, 10), Tariff(2, 20)])
      try store.assign(Tariff.self, 1) { $0.amount = -5 }
      try store.write { tx in
        try tx.update(Tariff.self, 1) { $0.amount = 7 }
        try tx.update(Tariff.self, 2) { $0.amount = 21 }
      }
      let (newest, set) = (try store.history.newest, try unwrap(try store.history().last))
      let error = try expectError(.invalidValue) { try store.undo(set) }
      try expectEqual(error.model, "Tariff")
      try expectEqual(error.key, "1")
      try expect(error.cause is Tariff.IsNegative, "the cause is \(String(describing: error.cause))")
      try expectEqual(try store.fetch(Tariff.all), [Tariff(1, 7), Tariff(2, 21)])
      try expectEqual(try store.history.newest, newest)
    },
  ]

  private static func newest(_ store: Store) throws -> HistoryPosition { try store.history.newest }

  // MARK: Updates

  private static func first(of updates: HistoryUpdates) -> Task<HistorySet?, any Error> {
    Task.ofCase {
      var iterator = updates.makeAsyncIterator()
      return try await iterator.next()
    }
  }

  private static let updates: [ConformanceCase] = [
    history("updates-go-on", ["HIST-8"], "Updates that have waited bring each later change set once.") { store in
      let updates = Pulled(store.historyUpdates(after: try newest(store)))
      var seen: [Int] = []
      for round in 0..<5 {
        let first = 10 + 10 * round
        try insert(first...(first + round), store)
        for _ in 0...round { seen += try poets(unwrap(try updates.next())) }
      }
      try expectEqual(seen, (0..<5).flatMap { round in (0...round).map { 10 + 10 * round + $0 } })
    },
    history(
      "updates-of-many", ["HIST-8"], "Updates bring more change sets than a page has, without a further commit.",
      without: ConformanceVariant.allButFresh, within: .seconds(60)
    ) { store in
      let start = try newest(store)
      for number in 0..<1_030 { try store.assign(Poet.self, 3) { $0.name = "\(number)" } }
      let updates = Pulled(store.historyUpdates(after: start))
      var positions: [HistoryPosition] = []
      while positions.count < 1_030 { positions.append(try unwrap(try updates.next()).position) }
      try expectEqual(positions, try sets(store, after: start).map(\.position))
    },
    history(
      "updates-of-a-new-reader", ["HIST-8", "HIST-11"],
      "A new named reader begins behind the newest change set, and later ones stay for it.",
      without: ConformanceVariant.ofWriter
    ) { store in
      let updates = store.historyUpdates(as: "mail")
      let start = try newest(store)
      let first = Self.first(of: updates)
      try expectSoon("the reader is there") { try store.history.readers.map(\.name) == ["mail"] }
      try expectEqual(try store.history.readers.map(\.position), [start])
      try insert(10...14, store)
      try expectEqual(try poets(unwrap(try valueOf(first))), [10])
      try store.history.trim(before: newest(store))
      try expectEqual(try sets(store).flatMap(poets), Array(10...14))
      // The reader begins again where it has acknowledged.
      try store.history.acknowledge(sets(store)[2].position, as: "mail")
      try expectEqual(try poets(unwrap(try Pulled(updates).next())), [13])
      try store.history.trim(before: newest(store))
      try expectEqual(try sets(store).flatMap(poets), [13, 14])
    },
  ]

  // MARK: Statements

  /// Acknowledges in the sequence of a statement that fails then.
  private static func failing(
    _ store: Store, _ about: String, _ acknowledge: @escaping (WriteTransaction, HistoryPosition) throws -> Void
  ) throws {
    let start = try newest(store)
    try store.history.acknowledge(start, as: "mail")
    try insert(10...12, store)
    try store.write { tx in
      try expectError(.duplicateKey, about) {
        try tx.insert(
          contentsOf: [20, 21, 1].lazy.map { id in
            if id == 21 { try? acknowledge(tx, store.history.newest) }
            return Poet(id, "")
          })
      }
      try tx.insert(Poet(30, ""))
    }
    try expectEqual(try store.history.readers.map(\.position), [start], about)
    try expectEqual(try sets(store, after: start).flatMap(poets), [10, 11, 12, 30], about)
    try store.delete(Poet.where { $0.id >= 10 })
  }

  private static let statements: [ConformanceCase] = [
    history(
      "acknowledged-in-failing-savepoint", ["HIST-11", "REENT-3", "TXN-3"],
      "What a savepoint in the sequence of a statement acknowledges is undone when the statement fails.",
      without: ConformanceVariant.ofWholeTransactions
    ) { store in
      try failing(store, "in a savepoint") { tx, position in
        try tx.savepoint { try tx.acknowledge(position, as: "mail") }
      }
    },
    history(
      "acknowledged-in-failing-statement", ["HIST-11", "REENT-3"],
      "What the sequence of a statement acknowledges is undone when the statement fails.",
      without: ConformanceVariant.ofWholeTransactions
    ) { store in
      try failing(store, "by itself") { tx, position in try tx.acknowledge(position, as: "mail") }
    },
  ]

  // MARK: Parts

  private static let parts: [ConformanceCase] = [
    history(
      "cut", ["HIST-10"], "A change set of which the bound has removed the beginning is not read any more.",
      .on(keeping: .forever, bytes: 2 << 20), without: ConformanceVariant.allButFresh
    ) { store in
      // 1.9 MB are two rows of the log.
      try store.insert(contentsOf: (100..<138).map { Poet($0, String(repeating: "x", count: 50_000)) })
      let long = try unwrap(try sets(store).last)
      try expectEqual(try poets(long).count, 38)
      for id in 10..<14 {
        try store.insert(Poet(id, String(repeating: "y", count: 100_000)))
        try expect(try store.history.byteCount <= 2 << 20, "the size")
      }
      try expectEqual(try sets(store).flatMap(poets), Array(10..<14))
      try expectEqual(try sets(store, after: long.position).flatMap(poets), Array(10..<14))
      try expectError(.notFound) { try store.undo(long) }
      try expectEqual(try store.check(), [])
    }
  ]
}
