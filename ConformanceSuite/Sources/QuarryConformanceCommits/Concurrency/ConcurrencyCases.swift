import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Threads, tasks and actors that use one store at once.
enum ConcurrencyCases {
  actor Owner {
    let store: Store
    private var rounds = 0

    init(_ store: Store) {
      self.store = store
    }

    /// Counts in the actor and in the store, with suspensions in between.
    func count() async throws {
      rounds += 1
      try await store.write { tx in _ = try tx.update(Item.self, 1) { $0.rank? += 1 } }
    }

    func difference() async throws -> Int {
      try await store.read { try $0.get(Item.self, 1)?.rank ?? 0 } - rounds
    }
  }

  static let all: [ConformanceCase] = counters + tasks + closing + (0..<6).map { linearizable($0) }

  private static func increments(
    _ name: String, _ summary: String, _ increment: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("CON.counter-\(name)", ["ISO-1", "STMT-1"], summary, within: .seconds(30)) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 0))
      try onThreads(8) { _ in for _ in 0..<12 { try increment(store) } }
      try expectEqual(try store.get(Item.self, 1)?.rank, 96)
      try expectEqual(try store.count(Item.where { $0.rank == 96 }), 1)
    }
  }

  private static let counters: [ConformanceCase] = [
    increments("assignment", "Assignments of eight threads add up.") { store in
      try store.assign(Item.all) { $0.rank += 1 }
    },
    increments("closure", "Updates by closures of eight threads add up.") { store in
      try store.update(Item.self, 1) { $0.rank? += 1 }
    },
    increments("query-closure", "Updates of a query by closures of eight threads add up.") { store in
      try store.update(Item.where { $0.rank >= 0 }) { $0.rank? += 1 }
    },
    increments("read-then-write", "Reads and writes in one transaction add up.") { store in
      try store.write { tx in
        var item = try unwrap(tx.get(Item.self, 1))
        item.rank? += 1
        try tx.update(item)
      }
    },
    increments("upsert", "Upserts of what was read in the same transaction add up.") { store in
      try store.write { tx in
        var item = try unwrap(tx.get(Item.self, 1))
        item.rank? += 1
        try tx.upsert(item)
      }
    },
    increments("savepoint", "Savepoints that are undone in between add nothing.") { store in
      try store.write { tx in
        do {
          try tx.savepoint {
            try tx.assign(Item.all) { $0.rank += 50 }
            throw Abandoned()
          }
        } catch is Abandoned {}
        try tx.assign(Item.all) { $0.rank += 1 }
      }
    },
    ConformanceCase(
      "CON.counter-conflict", ["CRUD-9", "ISO-1"], "Changes that are repeated after a conflict add up.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 0))
      try onThreads(4) { _ in
        for _ in 0..<8 {
          while true {
            let old = try unwrap(store.get(Item.self, 1))
            var new = old
            new.rank? += 1
            do {
              try store.update(new, ifUnchangedFrom: old)
              break
            } catch let error as StorageError {
              guard error.code == .conflict else { throw error }
            }
          }
        }
      }
      try expectEqual(try store.get(Item.self, 1)?.rank, 32)
    },
    ConformanceCase(
      "CON.inserts", ["CRUD-2", "IDX-1"], "When threads insert the same keys, each key is inserted once.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let won = Atomic(0)
      try onThreads(6) { thread in
        for id in 0..<15 {
          do {
            try store.insert(Item(id, rank: thread))
            won.add(1, ordering: .relaxed)
          } catch let error as StorageError {
            guard error.code == .duplicateKey else { throw error }
          }
        }
      }
      try expectEqual(won.load(ordering: .relaxed), 15)
      try expectEqual(try store.keys(Item.all), Array(0..<15))
    },
    ConformanceCase(
      "CON.unique-values", ["IDX-1"], "When threads store the same unique values, each is stored once.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Numbered.self)
      let won = Atomic(0)
      try onThreads(6) { thread in
        for number in 0..<10 {
          do {
            try store.insert(Numbered(id: thread * 100 + number, number: number))
            won.add(1, ordering: .relaxed)
          } catch let error as StorageError {
            guard error.code == .uniqueViolation else { throw error }
          }
        }
      }
      try expectEqual(won.load(ordering: .relaxed), 10)
      try expectEqual(try store.fetch(Numbered.all.sorted(by: \.number)).map(\.number), Array(0..<10))
    },
    ConformanceCase(
      "CON.get-or-insert", ["CRUD-10", "ISO-1"], "Threads that get or insert one key all have the same object.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let names = Mutex<[Int: Set<String>]>([:])
      try onThreads(6) { thread in
        for id in 0..<10 {
          let name = try store.write { try $0.getOrInsert(Item(id, name: "t\(thread)")).name }
          names.withLock { _ = $0[id, default: []].insert(name) }
        }
      }
      try expect(names.withLock { $0.values.allSatisfy { $0.count == 1 } }, "two threads got different objects")
    },
    ConformanceCase(
      "CON.deletes", ["CRUD-5"], "When threads delete the same objects, each is deleted once.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<40).map { Item($0) })
      let deleted = Atomic(0)
      try onThreads(6) { _ in
        for id in 0..<40 where try store.delete(Item.self, id) { deleted.add(1, ordering: .relaxed) }
      }
      try expectEqual(deleted.load(ordering: .relaxed), 40)
      try expectEqual(try store.count(Item.all), 0)
    },
    ConformanceCase(
      "CON.two-models", ["ISO-2", "TXN-1"], "Objects of two models that are written together are seen together.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self, Numbered.self)
      try onThreads(5) { thread in
        for round in 0..<20 {
          if thread < 2 {
            try store.write { tx in
              try tx.insert(Item(thread * 1000 + round))
              try tx.insert(Numbered(id: thread * 1000 + round, number: thread * 1000 + round))
            }
          } else {
            let (items, numbers) = try store.read { (try $0.keys(Item.all), try $0.keys(Numbered.all)) }
            try expectEqual(items, numbers)
          }
        }
      }
    },
    ConformanceCase("CON.two-stores", ["ISO-1"], "Stores at different places do not wait for each other.") { kit in
      let (first, second) = (try kit.store(Item.self), try kit.store(Item.self))
      try first.write { tx in
        try tx.insert(Item(1))
        try onAnotherThread { try second.write(timeout: 5) { try $0.insert(Item(2)) } }
      }
      try expectEqual(try first.keys(Item.all) + second.keys(Item.all), [1, 2])
    },
  ]

  // MARK: Closing

  /// Calls the body on several threads until the store is closed under them; every error must be `closed`.
  private static func closed(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (Store, Int) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "CON.close-\(name)", ["OPEN-3", "TXN-6", "ERR-1"], summary,
      // Closed between a statement and its replay, the two have different ends, as they should.
      without: [.replayed], within: .seconds(30)
    ) { kit in
      try closeUnder(kit, body)
    }
  }

  private static func closeUnder(
    _ kit: ConformanceContext, _ body: @escaping @Sendable (Store, Int) throws -> Void
  ) throws {
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: (0..<50).map { Item($0, rank: $0) })
    let started = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let first = FirstError()
    for thread in 0..<4 {
      group.enter()
      Thread {
        first.note {
          started.signal()
          for round in 0..<100_000 {
            do {
              try body(store, thread * 1_000_000 + round)
            } catch let error as StorageError {
              guard error.code == .closed else { throw error }
              return
            }
          }
        }
        group.leave()
      }.start()
    }
    for _ in 0..<4 { started.wait() }
    Thread.sleep(forTimeInterval: 0.02)
    try store.close()
    group.wait()
    try first.rethrow()
    try expectError(.closed) { try store.count(Item.all) }
  }

  private static let closing: [ConformanceCase] = [
    closed("under-gets", "Closing under reads by key ends in closed.") { store, number in
      _ = try store.get(Item.self, number % 50)
    },
    closed("under-queries", "Closing under queries ends in closed.") { store, number in
      _ = try store.keys(Item.where { $0.rank > number % 50 })
    },
    closed("under-cursors", "Closing under cursors ends in closed.") { store, _ in
      try store.read { tx in
        let cursor = try tx.cursor(Item.all)
        while try cursor.next() != nil {}
      }
    },
    closed("under-writes", "Closing under writes ends in closed.") { store, number in
      try store.upsert(Item(1000 + number % 5, code: "w\(number)"))
    },
    closed("under-savepoints", "Closing under savepoints ends in closed.") { store, number in
      try store.write { tx in
        try tx.savepoint { _ = try tx.update(Item.self, number % 50) { $0.name = "n\(number)" } }
      }
    },
    closed("under-freezing", "Closing under snapshots that come and go ends in closed.") { store, _ in
      let frozen = try store.freeze()
      defer { frozen.close() }
      _ = try frozen.count(Item.all)
    },
    closed("under-aggregates", "Closing under aggregates ends in closed.") { store, _ in
      _ = try store.read { try $0.sum(Item.all, of: \.rank) }
    },
    ConformanceCase(
      "CON.close-twice-at-once", ["OPEN-3"], "Threads that close one store at once all return.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try onThreads(6) { _ in try store.close() }
      try expectError(.closed) { try store.insert(Item(1)) }
    },
    ConformanceCase(
      "CON.close-with-tasks", ["OPEN-3", "TXN-8"], "Tasks that wait for a store that is closed end.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let tasks = (0..<40).map { id in Task.ofCase { try await store.write { try $0.insert(Item(id)) } } }
      try store.close()
      for task in tasks {
        do {
          _ = try await task.value
        } catch let error as StorageError {
          try expectEqual(error.code, .closed)
        }
      }
    },
  ]

  // MARK: Single objects

  private static func linearizable(_ number: Int) -> ConformanceCase {
    ConformanceCase(
      "CON.linearizable-\(number)", ["ISO-1", "ISO-2", "ISO-3", "CRUD-5", "CRUD-9"],
      "Calls on one object by four threads have one order that explains what each gave.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let clock = Atomic(0)
      let calls = Mutex<[Linearizability.Call]>([])
      try onThreads(4) { client in
        var random = kit.random(number * 10 + client)
        for _ in 0..<15 {
          let (old, new) = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random))
          let choice = Int.random(in: 0..<8, using: &random)
          let begin = clock.add(1, ordering: .sequentiallyConsistent).newValue
          let operation = try call(store, choice, old, new)
          let end = clock.add(1, ordering: .sequentiallyConsistent).newValue
          calls.withLock {
            $0.append(Linearizability.Call(client: client, begin: begin, end: end, operation: operation))
          }
        }
      }
      let history = calls.withLock { $0 }
      try expect(
        Linearizability.order(history) != nil,
        "no order explains:\n" + history.sorted { $0.begin < $1.begin }.map { "  \($0)" }.joined(separator: "\n"))
    }
  }

  private static func call(
    _ store: Store, _ choice: Int, _ old: Int, _ new: Int
  ) throws -> Linearizability.Call.Operation {
    switch choice {
    case 0...2: return .read(try store.get(Item.self, 1)?.rank)
    case 3, 4:
      try store.upsert(Item(1, rank: new))
      return .write(new)
    case 5: return .remove(try store.delete(Item.self, 1))
    default:
      do {
        try store.write { try $0.update(Item(1, rank: new), ifStored: \.rank, is: old) }
        return .exchange(old: old, new: new, true)
      } catch let error as StorageError {
        guard error.code == .conflict || error.code == .notFound else { throw error }
        return .exchange(old: old, new: new, false)
      }
    }
  }
}
