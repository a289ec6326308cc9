import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Transactions of many writers that meet: what could not have run one after the other conflicts, and bodies run again.
enum ConflictCases {
  static let all: [ConformanceCase] = (scripts + repetitions + limits).map { $0.only(.many) }

  // MARK: Two transactions that are open together

  static func script(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("CON.conflict-\(name)", ["ISO-1", "TXN-7"], summary, within: .seconds(30)) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: 10), Item(2, rank: 20)])
      try body(store)
      if store.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), []) }
    }
  }

  /// Does the last step of a transaction and commits it. One of the two must throw `conflict`.
  static func expectConflict(
    _ transaction: ScriptedTransaction, line: Int = #line, _ step: @escaping (WriteTransaction) throws -> Void
  ) throws {
    try expectError(.conflict, line: line) {
      try transaction.write(step)
      try transaction.commit()
    }
  }

  static func rank(_ transaction: ScriptedTransaction, _ id: Int) throws -> Int? {
    try transaction.run { try $0.get(Item.self, id)?.rank }
  }

  static func set(_ id: Int, _ rank: Int) -> (WriteTransaction) throws -> Void {
    { tx in _ = try tx.update(Item.self, id) { $0.rank = rank } }
  }

  private static func expectRanks(_ store: Store, _ ranks: [Int?], line: Int = #line) throws {
    try expectEqual(try store.fetch(Item.all.sorted(by: \.id)).map(\.rank), ranks, line: line)
  }

  private static let scripts: [ConformanceCase] = [
    script("lost-update", "Of two transactions that read an object and write it, the later commit conflicts.") {
      store in
      let (first, second) = (try ScriptedTransaction.write(store), try ScriptedTransaction.write(store))
      for transaction in [first, second] { try expectEqual(try rank(transaction, 1), 10) }
      try first.write(set(1, 11))
      try first.commit()
      try expectConflict(second, set(1, 12))
      try expectRanks(store, [11, 20])
    },
    script("write-skew", "Of two transactions that read both objects and write one each, the later commit conflicts.") {
      store in
      let (first, second) = (try ScriptedTransaction.write(store), try ScriptedTransaction.write(store))
      for transaction in [first, second] {
        try expectEqual(try transaction.run { try $0.sum(Item.all, of: \.rank) }, 30)
      }
      try first.write(set(1, -10))
      try first.commit()
      try expectConflict(second, set(2, -20))
      try expectRanks(store, [-10, 20])
    },
    script("phantom", "Of two transactions that find no object and insert one, the later commit conflicts.") { store in
      let isThird = Item.where { $0.rank >= 30 }
      let (first, second) = (try ScriptedTransaction.write(store), try ScriptedTransaction.write(store))
      for transaction in [first, second] { try expectEqual(try transaction.run { try $0.count(isThird) }, 0) }
      try first.write { try $0.insert(Item(3, rank: 30)) }
      try first.commit()
      try expectConflict(second) { try $0.insert(Item(4, rank: 60)) }
      try expectEqual(try store.keys(isThird), [3])
    },
    script("update-of-deleted", "An update of an object that a later commit has deleted conflicts.") { store in
      let second = try ScriptedTransaction.write(store)
      try expectEqual(try rank(second, 1), 10)
      try store.delete(Item.self, 1)
      try expectConflict(second, set(1, 11))
      try expectRanks(store, [20])
    },
    script("read-only-half", "A transaction that writes on the ground of a value that was changed meanwhile conflicts.")
    {
      store in
      let second = try ScriptedTransaction.write(store)
      try expectEqual(try rank(second, 1), 10)
      try store.update(Item.self, 1) { $0.rank = 11 }
      try expectConflict(second) { try $0.insert(Item(3, rank: 10)) }
      try expectRanks(store, [11, 20])
    },
    script("nothing-left", "A transaction that conflicts leaves no object, no index entry and no unique value.") {
      store in
      let second = try ScriptedTransaction.write(store)
      try expectEqual(try rank(second, 1), 10)
      try second.write { tx in
        try tx.insert(contentsOf: [Item(3, code: "third", rank: 30), Item(4, rank: 30)])
        try tx.delete(Item.self, 2)
      }
      try store.update(Item.self, 1) { $0.rank = 11 }
      try expectConflict(second, set(1, 12))
      try expectRanks(store, [11, 20])
      try expectEqual(try store.count(Item.where { $0.rank == 30 }), 0)
      try store.insert(Item(5, code: "third"))
    },
    script("frozen-between", "A frozen store sees the commits before it, and no transaction that conflicts.") { store in
      let second = try ScriptedTransaction.write(store)
      try expectEqual(try rank(second, 1), 10)
      try store.update(Item.self, 1) { $0.rank = 11 }
      let frozen = try store.freeze()
      defer { frozen.close() }
      try expectConflict(second, set(1, 12))
      try store.update(Item.self, 2) { $0.rank = 21 }
      try expectEqual(try frozen.fetch(Item.all.sorted(by: \.id)).map(\.rank), [11, 20])
    },
    script("begins-at-once", "A write of another object begins, and returns, while a write is open.") { store in
      try store.write { tx in
        try tx.insert(Item(3))
        try onAnotherThread { try store.write(timeout: 5) { try $0.insert(Item(4)) } }
      }
      try expectEqual(try store.keys(Item.all.sorted(by: \.id)), [1, 2, 3, 4])
    },
  ]

  // MARK: Bodies that run again

  /// Writes in a body that another write overtakes in its first runs.
  ///
  /// - Returns: The number of runs.
  private static func overtaken(
    _ store: Store, times: Int, _ write: ((WriteTransaction) throws -> Void) throws -> Void,
    then body: @escaping (WriteTransaction, Int) throws -> Void = { tx, rank in
      _ = try tx.update(Item.self, 1) { $0.rank = rank + 1 }
    }
  ) throws -> Int {
    var runs = 0
    try write { tx in
      runs += 1
      let rank = try unwrap(tx.get(Item.self, 1)?.rank, "the rank")
      if runs <= times { try onAnotherThread { _ = try store.update(Item.self, 1) { $0.rank? += 100 } } }
      try body(tx, rank)
    }
    return runs
  }

  private static let repetitions: [ConformanceCase] = [
    script("body-again", "A body that reads what another write changes runs again, and sees the change.") { store in
      let runs = try overtaken(store, times: 2) { body in try store.write(timeout: 30) { try body($0) } }
      try expectEqual(runs, 3)
      try expectRanks(store, [211, 20])
    },
    script("body-caught", "A body that catches the conflict of a call runs again all the same.") { store in
      let runs = try overtaken(store, times: 1) { body in
        try store.write(timeout: 30) { try body($0) }
      } then: { tx, rank in
        do { try tx.update(Item.self, 1) { $0.rank = rank + 1 } } catch {}
      }
      try expectEqual(runs, 2)
      try expectRanks(store, [111, 20])
    },
    script("body-savepoint", "A conflict inside a savepoint is a conflict of the transaction, which runs again.") {
      store in
      let runs = try overtaken(store, times: 1) { body in
        try store.write(timeout: 30) { try body($0) }
      } then: { tx, rank in
        try? tx.savepoint { _ = try tx.update(Item.self, 1) { $0.rank = rank + 1 } }
        try tx.update(Item.self, 2) { $0.rank? += 1 }
      }
      try expectEqual(runs, 2)
      try expectRanks(store, [111, 21])
    },
    script("body-throws", "An error that the body throws ends the write after one run.") { store in
      var runs = 0
      try expectThrows(Abandoned.self) {
        try store.write { tx in
          runs += 1
          _ = try tx.get(Item.self, 1)
          try onAnotherThread { _ = try store.update(Item.self, 1) { $0.rank? += 100 } }
          throw Abandoned()
        }
      }
      try expectEqual(runs, 1)
      try expectRanks(store, [110, 20])
    },
    script("expectation", "The conflict of an expected value ends the write after one run.") { store in
      var runs = 0
      try expectError(.conflict) {
        try store.write { tx in
          runs += 1
          try tx.update(Item(1, rank: 3), ifUnchangedFrom: Item(1, rank: 9))
        }
      }
      try expectEqual(runs, 1)
      try expectRanks(store, [10, 20])
    },
    ConformanceCase(
      "CON.conflict-task", ["TXN-7", "TXN-8"], "The body of an asynchronous write runs again, too.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(Item(1, rank: 10))
      let runs = Atomic(0)
      try await store.write(timeout: 30) { tx in
        let rank = try unwrap(tx.get(Item.self, 1)?.rank, "the rank")
        if runs.add(1, ordering: .relaxed).newValue == 1 {
          try onAnotherThread { _ = try store.update(Item.self, 1) { $0.rank? += 100 } }
        }
        _ = try tx.update(Item.self, 1) { $0.rank = rank + 1 }
      }
      let rank = try await store.get(Item.self, 1)?.rank
      try expectEqual(rank, 111)
      try expectEqual(runs.load(ordering: .relaxed), 2)
    },
    ConformanceCase(
      "CON.conflict-reads", ["ISO-2", "TXN-7"],
      "A read sees one state while others commit, however often its body runs."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1, rank: 0), Item(2, rank: 0)])
      for _ in 0..<5 {
        let ranks = try store.read { tx in
          let first = try tx.get(Item.self, 1)?.rank
          try onAnotherThread { _ = try store.assign(Item.all) { $0.rank += 1 } }
          return [first, try tx.get(Item.self, 2)?.rank]
        }
        try expectEqual(ranks[0], ranks[1])
      }
    },
    ConformanceCase(
      "CON.conflict-observed", ["OBS-1", "OBS-3", "TXN-7"],
      "An observer is notified once of a write whose body runs twice, with the objects of the last run.",
      needs: [.captureRows], within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 10))
      let watched = try Watched(store, Item.all, .items)
      let runs = try overtaken(store, times: 1) { body in
        try store.write(timeout: 30) { try body($0) }
      } then: { tx, rank in
        try tx.insert(Item(rank))
      }
      try expectEqual(runs, 2)
      try watched.follow("a write that ran twice")
      try expectEqual(try store.keys(Item.all.sorted(by: \.id)), [1, 110])
    },
  ]

  // MARK: How often

  private static let limits: [ConformanceCase] = [
    script("retry-none", "With no repetitions, the first conflict is thrown after one run.") { store in
      var runs = 0
      try expectError(.conflict) {
        try overtaken(store, times: .max) { body in
          try store.write(retry: 0) { tx in
            runs += 1
            try body(tx)
          }
        }
      }
      try expectEqual(runs, 1)
      try expectRanks(store, [110, 20])
    },
    script("retry-some", "A write is repeated as often as it was told, and then throws the conflict.") { store in
      var runs = 0
      try expectError(.conflict) {
        try overtaken(store, times: .max) { body in
          try store.write(retry: 2, timeout: 30) { tx in
            runs += 1
            try body(tx)
          }
        }
      }
      try expectEqual(runs, 3)
      try expectRanks(store, [310, 20])
    },
    script("twenty-runs", "A write that always conflicts throws the conflict after 20 runs.") { store in
      var runs = 0
      try expectError(.conflict) {
        try overtaken(store, times: .max) { body in
          try store.write(timeout: 60) { tx in
            runs += 1
            try body(tx)
          }
        }
      }
      try expectEqual(runs, 20)
      try expectRanks(store, [2_010, 20])
    },
    script("time-over", "A write that conflicts when its time is over throws the conflict, after fewer runs.") {
      store in
      var runs = 0
      try expectError(.conflict) {
        try overtaken(store, times: .max) { body in
          try store.write(timeout: 0.02) { tx in
            runs += 1
            try body(tx)
          }
        }
      }
      try expect(runs < 20, "\(runs) runs in 20 ms")
    },
    ConformanceCase(
      "CON.conflict-sequence", ["TXN-7", "TXN-1"],
      "A call whose sequence can be read once reads it once, and stores nothing when it meets another write."
    ) { kit in
      let store = try kit.store(Item.self)
      var elements = [Item(3), Item(2), Item(1)]
      var taken = 0
      do {
        try store.insert(
          contentsOf: AnyIterator<Item> {
            guard let next = elements.popLast() else { return nil }
            taken += 1
            if next.id == 2 { try? onAnotherThread { try store.insert(Item(2)) } }
            return next
          })
        throw ConformanceFailure(message: "two inserts of one key were done", file: #fileID, line: #line)
      } catch let error as StorageError {
        try expectEqual([.conflict, .duplicateKey].contains(error.code), true, "\(error)")
      }
      try expectEqual(try store.keys(Item.all), [2])
      try expect(taken <= 3, "elements were taken twice")
    },
    ConformanceCase(
      "CON.conflict-crowd", ["ISO-1", "TXN-7"],
      "Eight writers of three objects lose no update, and no body is skipped.",
      within: .seconds(120)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<3).map { Item($0, rank: 0) })
      let runs = Atomic(0)
      try onThreads(8) { thread in
        for round in 0..<15 {
          try store.write(timeout: 60) { tx in
            runs.add(1, ordering: .relaxed)
            let sum = try tx.fetch(Item.all).reduce(0) { $0 + ($1.rank ?? 0) }
            try tx.update(Item.self, (thread + round) % 3) { $0.rank? += 1 }
            try expectEqual(try tx.fetch(Item.all).reduce(0) { $0 + ($1.rank ?? 0) }, sum + 1)
          }
        }
      }
      try expectEqual(try store.fetch(Item.all).reduce(0) { $0 + ($1.rank ?? 0) }, 120)
      try expect(runs.load(ordering: .relaxed) >= 120, "a write returned and its body did not run")
    },
  ]
}
