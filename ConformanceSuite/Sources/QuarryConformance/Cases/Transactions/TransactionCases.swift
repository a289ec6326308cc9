import Foundation
import QuarryBackend
import QuarryCore

/// Thrown by bodies that want to be rolled back.
private struct Abandoned: Error {}

/// Runs the body, which must throw ``Abandoned``.
private func expectAbandoned<R>(file: String = #fileID, line: Int = #line, _ body: () throws -> R) throws {
  do {
    _ = try body()
  } catch is Abandoned {
    return
  }
  throw ConformanceFailure(message: "the body's error did not come out", file: file, line: line)
}

enum TransactionCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("TXN.commit", ["TXN-1"], "A write whose body returns happens, and gives the body's value.") { kit in
      let store = try kit.store(Item.self)
      let value = try store.write { tx in
        try tx.insert(Item(1))
        try tx.insert(Item(2))
        return 7
      }
      try expectEqual(value, 7)
      try expectEqual(try store.count(Item.self), 2)
    },
    ConformanceCase("TXN.rollback", ["TXN-1"], "A write whose body throws does not happen.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0) })
      let before = try store.fetch(Item.self)
      try expectAbandoned {
        try store.write { tx in
          try tx.insert(Item(100))
          try tx.delete(Item.where { $0.rank < 5 })
          try tx.assign(Item.all) { $0.rank += 1 }
          throw Abandoned()
        }
      }
      try expectEqual(try store.fetch(Item.self), before)
      try expectEqual(try store.keys(Item.where { $0.rank == 3 }), [3])
      try store.insert(Item(100))
    },
    ConformanceCase("TXN.own-writes", ["TXN-2"], "A transaction sees what it has written, in every kind of read.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<5).map { Item($0, rank: $0) })
      try store.write { tx in
        try tx.insert(Item(9, rank: 9))
        try tx.delete(Item.self, 0)
        try tx.update(Item.self, 1) { $0.rank = 50 }
        try expectEqual(try tx.keys(Item.where { $0.rank >= 0 }.sorted(by: \.rank)), [2, 3, 4, 9, 1])
        try expectEqual(try tx.count(Item.self), 5)
        try expectEqual(try tx.sum(Item.all, of: \.rank), 68)
        try expect(try tx.get(Item.self, 0) == nil)
        try expectEqual(try tx.get(Item.self, 1)?.rank, 50)
        try expectEqual(try tx.max(Item.all, of: \.rank), 50)
      }
    },
    ConformanceCase("TXN.savepoint-kept", ["TXN-3"], "A savepoint that returns is kept.", needs: [.savepoints]) { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try expectEqual(
          try tx.savepoint {
            try tx.insert(Item(1))
            return 3
          }, 3)
        try tx.insert(Item(2))
      }
      try expectEqual(try store.keys(Item.all), [1, 2])
    },
    ConformanceCase(
      "TXN.savepoint-undone", ["TXN-3"], "A savepoint that throws is undone with its index entries.",
      needs: [.savepoints]
    ) {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: $0) })
      try store.write { tx in
        try tx.insert(Item(10, rank: 10))
        try expectAbandoned {
          try tx.savepoint {
            try tx.assign(Item.all) { $0.rank *= 100 }
            try tx.delete(Item.self, 3)
            try tx.insert(Item(11, code: "c4x", rank: 4))
            throw Abandoned()
          }
        }
        try expectEqual(try tx.keys(Item.where { $0.rank == 4 }), [4])
        try expectEqual(try tx.keys(Item.where { $0.rank == 400 }), [])
        try tx.insert(Item(12, code: "c4x"))
      }
      try expectEqual(try store.keys(Item.all), Array(0...10) + [12])
      try expectEqual(try store.keys(Item.where { $0.rank >= 9 }), [9, 10])
    },
    ConformanceCase("TXN.savepoints-nest", ["TXN-3"], "Savepoints nest to a depth of fifty.", needs: [.savepoints]) {
      kit in
      let store = try kit.store(Item.self)
      func nest(_ tx: WriteTransaction, _ depth: Int) throws {
        guard depth < 50 else { return }
        try tx.insert(Item(depth, rank: depth))
        // Every odd level abandons what is below it.
        do {
          try tx.savepoint {
            try nest(tx, depth + 1)
            if depth % 10 == 9 { throw Abandoned() }
          }
        } catch is Abandoned {}
      }
      try store.write { try nest($0, 0) }
      try expectEqual(try store.keys(Item.all), Array(0...9))
      try expectEqual(try store.count(Item.where { $0.rank >= 0 }), 10)
    },
    ConformanceCase("TXN.error-in-savepoint", ["TXN-3", "STMT-1"], "An error inside a savepoint leaves it usable.") {
      kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.savepoint {
          try tx.insert(Item(1))
          try expectError(.duplicateKey) { try tx.insert(Item(1)) }
          try tx.insert(Item(2))
        }
      }
      try expectEqual(try store.keys(Item.all), [1, 2])
    },
    ConformanceCase("TXN.write-joins-write", ["TXN-4"], "A write inside a write is a savepoint of it.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try store.write { inner in
          try inner.insert(Item(2))
          try expectEqual(try inner.count(Item.self), 2)
        }
        try expectAbandoned {
          try store.write { inner in
            try inner.insert(Item(3))
            throw Abandoned()
          }
        }
        try store.insert(Item(4))
      }
      try expectEqual(try store.keys(Item.all), [1, 2, 4])
    },
    ConformanceCase("TXN.inner-write-of-undone", ["TXN-4"], "An inner write does not survive its outer one.") { kit in
      let store = try kit.store(Item.self)
      try expectAbandoned {
        try store.write { _ in
          try store.insert(Item(1))
          throw Abandoned()
        }
      }
      try expectEqual(try store.count(Item.self), 0)
    },
    ConformanceCase("TXN.read-in-write", ["TXN-4"], "A read inside a write sees that write.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try expectEqual(try store.read { try $0.count(Item.self) }, 1)
        try expectEqual(try store.get(Item.self, 1), Item(1))
      }
    },
    ConformanceCase(
      "TXN.read-in-read", ["TXN-4", "ISO-2"], "A read inside a read sees the same state.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try store.read { tx in
        try expectEqual(try tx.count(Item.self), 0)
        try Self.onAnotherThread { try store.insert(Item(1)) }
        try expectEqual(try store.read { try $0.count(Item.self) }, 0)
        try expectEqual(try store.count(Item.self), 0)
        try expect(try store.get(Item.self, 1) == nil)
      }
      try expectEqual(try store.count(Item.self), 1)
    },
    ConformanceCase("TXN.write-in-read", ["TXN-5"], "A write inside a read is reentrant.") { kit in
      let store = try kit.store(Item.self)
      try store.read { tx in
        try expectError(.reentrant) { try store.insert(Item(1)) }
        try expectEqual(try tx.count(Item.self), 0)
      }
      try store.insert(Item(1))
    },
    ConformanceCase("TXN.freeze-in-write", ["TXN-5"], "Freezing inside a write is reentrant.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try expectError(.reentrant) { try store.freeze() }
      }
      try expectEqual(try store.freeze().count(Item.self), 1)
    },
    ConformanceCase("TXN.two-stores", ["TXN-5"], "Stores do not nest into each other.") { kit in
      let first = try kit.store(Item.self)
      let second = try kit.store(Item.self)
      try first.read { _ in try second.insert(Item(1)) }
      try first.write { tx in
        try tx.insert(Item(1))
        try second.read { other in
          try expectEqual(try other.count(Item.self), 1)
          try first.insert(Item(2))
        }
      }
      try expectEqual(try first.count(Item.self), 2)
    },
    ConformanceCase("TXN.after-end", ["TXN-6"], "A transaction that ended is transactionEnded in every call.") { kit in
      let store = try kit.store(Item.self)
      var escaped: WriteTransaction?
      var cursor: ModelCursor<Item>?
      try store.insert(contentsOf: (0..<100).map { Item($0) })
      try store.write { escaped = $0 }
      let tx = try unwrap(escaped)
      try expectError(.transactionEnded) { try tx.get(Item.self, 1) }
      try expectError(.transactionEnded) { try tx.fetch(Item.self) }
      try expectError(.transactionEnded) { try tx.count(Item.self) }
      try expectError(.transactionEnded) { try tx.insert(Item(500)) }
      try expectError(.transactionEnded) { try tx.update(Item.self, 1) { $0.rank = 1 } }
      try expectError(.transactionEnded) { try tx.delete(Item.self, 1) }
      try expectError(.transactionEnded) { try tx.savepoint {} }
      try store.read { cursor = try $0.cursor(Item.all) }
      try expectError(.transactionEnded) { try cursor?.next() }
      try expectEqual(try store.count(Item.self), 100)
    },
    ConformanceCase("TXN.other-thread", ["TXN-6"], "A transaction on another thread is wrongThread.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try store.write { tx in
        nonisolated(unsafe) let tx = tx
        try Self.onAnotherThread {
          try expectError(.wrongThread) { try tx.get(Item.self, 1) }
          try expectError(.wrongThread) { try tx.insert(Item(2)) }
        }
        try tx.insert(Item(3))
      }
      try expectEqual(try store.keys(Item.all), [1, 3])
    },
    ConformanceCase("TXN.after-close", ["TXN-6", "OPEN-3"], "A closed store is closed in every call, twice too.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let frozen = try store.freeze()
      let object = try unwrap(store.frozen(Item.self, 1))
      try store.close()
      try store.close()
      try expectError(.closed) { try store.get(Item.self, 1) }
      try expectError(.closed) { try store.fetch(Item.self) }
      try expectError(.closed) { try store.insert(Item(2)) }
      try expectError(.closed) { try store.read { _ in } }
      try expectError(.closed) { try store.write { _ in } }
      try expectError(.closed) { try store.freeze() }
      try expectError(.closed) { try store.statistics() }
      try expectError(.closed) { try frozen.get(Item.self, 1) }
      try expectEqual(object.name, "")
    },
    ConformanceCase("TXN.close-inside", ["TXN-6", "OPEN-3"], "Closing inside a transaction ends in errors, no crash.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<200).map { Item($0) })
      try store.read { tx in
        let cursor = try tx.cursor(Item.all)
        _ = try cursor.next()
        try store.close()
        try expectError(.closed) { try tx.fetch(Item.self) }
        try expectError(.closed) { while try cursor.next() != nil {} }
      }
      let other = try kit.store(Item.self)
      try expectError(.closed) {
        try other.write { tx in
          try tx.insert(Item(1))
          try other.close()
          try tx.insert(Item(2))
        }
      }
    },
    ConformanceCase(
      "TXN.async", ["TXN-8"], "The asynchronous forms read and write.", without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      let returned = try await store.write { tx in
        try tx.insert(Item(1))
        try store.insert(Item(2))
        return try tx.count(Item.self)
      }
      try expectEqual(returned, 2)
      let keys = try await store.read { try $0.keys(Item.all) }
      try expectEqual(keys, [1, 2])
    },
    ConformanceCase(
      "TXN.async-throws", ["TXN-8", "TXN-1"], "An asynchronous write that throws does not happen.",
      without: ConformanceVariant.ofWriter
    ) {
      kit in
      let store = try kit.store(Item.self)
      do {
        try await store.write { tx in
          try tx.insert(Item(1))
          throw Abandoned()
        }
        throw ConformanceFailure(message: "the body's error did not come out", file: #fileID, line: #line)
      } catch is Abandoned {}
      let stored = try await store.count(Item.self)
      try expectEqual(stored, 0)
    },
    ConformanceCase(
      "TXN.async-many", ["TXN-8", "ISO-1"], "Hundreds of tasks that add up lose nothing.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(Item(1, rank: 0))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<300 {
          group.addTask {
            if task % 3 == 0 {
              _ = try await store.read { try $0.count(Item.self) }
            } else {
              try await store.write { tx in _ = try tx.update(Item.self, 1) { $0.rank = ($0.rank ?? 0) + 1 } }
            }
          }
        }
        try await group.waitForAll()
      }
      let stored = try await store.get(Item.self, 1)?.rank
      try expectEqual(stored, 200)
    },
    ConformanceCase(
      "TXN.async-cancelled", ["TXN-8"], "A task that was cancelled before does nothing.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        try await store.write { try $0.insert(Item(1)) }
      }
      task.cancel()
      let result = await task.result
      do {
        try result.get()
        throw ConformanceFailure(message: "a cancelled write did not throw", file: #fileID, line: #line)
      } catch is CancellationError {}
      let stored = try await store.count(Item.self)
      try expectEqual(stored, 0)
    },
    ConformanceCase("ISO.stable-read", ["ISO-2"], "A read sees one state while others commit.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<100).map { Item($0, rank: 0) })
      try store.read { tx in
        let cursor = try tx.cursor(Item.all)
        let first = try unwrap(cursor.next())
        try Self.onAnotherThread {
          try store.assign(Item.all) { $0.rank = 1 }
          try store.delete(Item.where { $0.id >= 50 })
        }
        var ranks = [first.rank]
        while let item = try cursor.next() { ranks.append(item.rank) }
        try expectEqual(ranks, Array(repeating: 0, count: 100))
        try expectEqual(try tx.count(Item.where { $0.rank == 0 }), 100)
      }
      try expectEqual(try store.count(Item.where { $0.rank == 1 }), 50)
    },
    ConformanceCase("ISO.writers-wait", ["ISO-1"], "Writers of many threads lose no update.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 0))
      try Self.onThreads(8) { _ in
        for _ in 0..<25 { try store.update(Item.self, 1) { $0.rank = ($0.rank ?? 0) + 1 } }
      }
      try expectEqual(try store.get(Item.self, 1)?.rank, 200)
    },
    ConformanceCase("ISO.busy", ["ISO-1"], "A writer that waits too long is busy, and can write later.") { kit in
      let store = try kit.store(Item.self)
      try store.write { tx in
        try tx.insert(Item(1))
        try Self.onAnotherThread {
          try expectError(.busy) { try store.write(timeout: 0.05) { try $0.insert(Item(2)) } }
        }
      }
      try Self.onAnotherThread { try store.insert(Item(2)) }
      try expectEqual(try store.count(Item.self), 2)
    },
    ConformanceCase(
      "ISO.busy-engine", ["ISO-1"],
      "The engine says busy, too, when a writer of another store waits too long, and gives the turn on afterwards.",
      without: ConformanceVariant.allButFresh
    ) { kit in
      let backend = try kit.makePlace().open(OpenOptions())
      defer { try? backend.close() }
      let first = try backend.beginWrite(WriteOptions())
      for timeout in [0, 0.05] {
        try Self.onAnotherThread {
          try expectError(.busy) { try backend.beginWrite(WriteOptions(timeout: timeout)).rollback() }
        }
      }
      first.rollback()
      try Self.onAnotherThread { try backend.beginWrite(WriteOptions(timeout: 5)).rollback() }
    },
    ConformanceCase("ISO.bank", ["ISO-1", "ISO-2"], "Readers of many threads see every total whole.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0, rank: 100) })
      try Self.onThreads(6) { thread in
        var generator = kit.random(thread)
        for _ in 0..<60 {
          if thread < 3 {
            let (from, to) = (Int.random(in: 0..<10, using: &generator), Int.random(in: 0..<10, using: &generator))
            let amount = Int.random(in: 1...20, using: &generator)
            try store.write { tx in
              try tx.update(Item.self, from) { $0.rank = ($0.rank ?? 0) - amount }
              try tx.update(Item.self, to) { $0.rank = ($0.rank ?? 0) + amount }
            }
          } else {
            try expectEqual(try store.read { try $0.fetch(Item.self).reduce(0) { $0 + ($1.rank ?? 0) } }, 1000)
          }
        }
      }
    },
    ConformanceCase("ISO.versions", ["ISO-3"], "A later state has a greater version.") { kit in
      let store = try kit.store(Item.self)
      var last = try store.read { try $0.version }
      for id in 0..<5 {
        try store.insert(Item(id))
        let version = try store.read { try $0.version }
        try expect(version > last, "\(version) after \(last)")
        try expectEqual(try store.read { try $0.version }, version)
        last = version
      }
    },
    ConformanceCase("SNAP.unaffected", ["SNAP-1"], "A frozen store sees its state whatever is written.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0, rank: $0) })
      let frozen = try store.freeze()
      for _ in 0..<20 { try store.assign(Item.all) { $0.rank += 1 } }
      try store.delete(Item.where { $0.id < 25 })
      let later = try store.freeze()
      try store.deleteAll(Item.self)
      try expectEqual(try frozen.fetch(Item.self).map(\.rank), (0..<50).map { $0 })
      try expectEqual(try frozen.keys(Item.where { $0.rank == 7 }), [7])
      try expectEqual(try later.keys(Item.all), Array(25..<50))
      try expectEqual(try later.get(Item.self, 30)?.rank, 50)
      try expect(frozen.version < later.version)
      try expectEqual(try store.count(Item.self), 0)
    },
    ConformanceCase(
      "SNAP.threads", ["SNAP-1"], "Many threads read one frozen store at once.", without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<500).map { Item($0, rank: $0 % 10) })
      let frozen = try store.freeze()
      try store.deleteAll(Item.self)
      try Self.onThreads(6) { thread in
        for _ in 0..<10 {
          try expectEqual(try frozen.count(Item.where { $0.rank == thread }), 50)
          try expectEqual(try frozen.get(Item.self, thread)?.id, thread)
          try expectEqual(try frozen.fetch(Item.where { $0.id < 100 }).count, 100)
        }
      }
    },
    ConformanceCase("SNAP.closed", ["SNAP-2"], "A frozen store that was closed is closed; its store is not.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let frozen = try store.freeze()
      frozen.close()
      frozen.close()
      try expectError(.closed) { try frozen.get(Item.self, 1) }
      try expectError(.closed) { try frozen.read { try $0.fetch(Item.self) } }
      try expectEqual(try store.count(Item.self), 1)
    },
    ConformanceCase("SNAP.objects", ["SNAP-3"], "Frozen objects outlive transaction, change and store.") { kit in
      let store = try kit.store(Item.self)
      let items = (0..<300).map { Item($0, rank: $0 % 3 == 0 ? nil : $0, name: "n\($0)", tags: ["t"]) }
      try store.insert(contentsOf: items)
      let frozen = try store.frozen(Item.all.sorted(by: \.id, order: .reverse))
      try store.deleteAll(Item.self)
      try store.close()
      try Self.onAnotherThread {
        try expectEqual(frozen.map(\.name), items.reversed().map(\.name))
        try expectEqual(frozen.map(\.rank), items.reversed().map(\.rank))
        try expectEqual(frozen[0].tags, ["t"])
        try expectEqual(try frozen.map { try $0.thawed() }, items.reversed())
      }
    },
    ConformanceCase("SNAP.many", ["SNAP-1"], "Snapshots that are opened and closed by the thousand cost nothing.") {
      kit in
      let store = try kit.store(Item.self)
      for round in 0..<1000 {
        if round % 100 == 0 { try store.upsert(Item(1, rank: round)) }
        let frozen = try store.freeze()
        if round % 50 == 0 { try expectEqual(try frozen.get(Item.self, 1)?.rank, round / 100 * 100) }
        frozen.close()
      }
    },
    ConformanceCase(
      "SNAP.stream", ["SNAP-1"], "An asynchronous stream gives one state in order, in batches.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(contentsOf: (0..<1000).map { Item($0, rank: $0 % 7) })
      let query = Item.where { $0.id >= 100 }.sorted(by: \.rank).offset(5).limit(600)
      let expected = try await store.keys(query)
      var keys: [Int] = []
      for try await item in store.stream(query, batchSize: 64) {
        if keys.isEmpty { try await store.deleteAll(Item.self) }
        keys.append(item.id)
      }
      try expectEqual(keys, expected)
    },
  ]

  /// Runs the body on another thread and waits for it.
  static func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
    try onThreads(1) { _ in try body() }
  }

  /// Runs the body on that many threads at once and waits for all; throws what one of them threw.
  static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let group = DispatchGroup()
    let errors = ErrorBox()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        do {
          try body(number)
        } catch {
          errors.set(error)
        }
        group.leave()
      }
      thread.start()
    }
    group.wait()
    if let error = errors.first { throw error }
  }
}

/// The first error of several threads.
private final class ErrorBox: @unchecked Sendable {
  // Unchecked because the lock guards the field.
  private let lock = NSLock()
  private var error: (any Error)?

  var first: (any Error)? { lock.withLock { error } }

  func set(_ error: any Error) {
    lock.withLock { if self.error == nil { self.error = error } }
  }
}
