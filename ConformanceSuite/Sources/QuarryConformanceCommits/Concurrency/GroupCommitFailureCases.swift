import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// What fails, ends or comes too late while writers share a commit. See ``GroupCommitCases``.
extension GroupCommitCases {
  static let failures: [ConformanceCase] = [
    ConformanceCase(
      "CON.group-commit-fails", ["TXN-12"],
      "A commit that fails is the error of every call that shares it, and nothing of any is stored.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        try await store.insert(Item(100))
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            try tx.insert(Item(number))
            // The body saw a state that was never committed, so its call throws the commit's error and not its own.
            if number == 3 { throw Abandoned() }
          })
        let isFirst = Flag()
        place.set(\.beforeCommit) { [weak place] in
          if !isFirst.take() { place?.set(\.failsCommits, true) }
        }
        let outcomes = codes(try await waiting.run())
        try expectEqual(place.get(\.commits), 3)
        place.set(\.beforeCommit, nil)
        place.set(\.failsCommits, false)
        try expectEqual(outcomes, Array(repeating: "io", count: 5))
        try expectEqual(try keys(store), [100])
        try await store.insert(Item(1))
        try expectEqual(try keys(store), [1, 100])
      }
    },
    ConformanceCase(
      "CON.group-engine-fails", ["TXN-12"],
      "If a body cannot be undone, all bodies are rolled back, and every call throws the engine's error.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let ran = Mutex<[Int]>([])
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            ran.withLock { $0.append(number) }
            try tx.insert(Item(number))
            if number == 2 {
              place.set(\.failsUndoing, true)
              throw Abandoned()
            }
            place.set(\.failsUndoing, false)
          })
        let outcomes = codes(try await waiting.run())
        place.set(\.failsUndoing, false)
        // Who had not begun has a transaction of its own.
        try expectEqual(place.get(\.commits), 2)
        try expectEqual(ran.withLock { $0 }, [0, 1, 2, 3, 4])
        try expectEqual(outcomes, ["io", "io", "io", "done", "done"])
        try expectEqual(try keys(store), [3, 4])
      }
    },
    ConformanceCase(
      "CON.group-no-savepoints", ["TXN-11", "TXN-1"],
      "Waiting writes have commits of their own if the engine has no savepoint for them.", within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place)
      let waiting = try await WaitingWriters(
        store, writers(4) { number, tx in try tx.insert(Item(number)) })
      let before = place.get(\.commits)
      place.set(\.failsSavepoints, true)
      let ended = codes(try await waiting.run())
      try expectEqual(ended, Array(repeating: "done", count: 4))
      try expectEqual(place.get(\.commits) - before, 5)
      try expectEqual(try keys(store), [0, 1, 2, 3])
    },
    ConformanceCase(
      "CON.group-savepoint-fails", ["TXN-12", "TXN-3"],
      "If a savepoint inside a body cannot be undone, nothing of the commit stays, whatever the body does.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await WaitingWriters(
          store,
          writers(4) { number, tx in
            try tx.insert(Item(number))
            guard number == 1 else { return }
            place.set(\.failsUndoing, true)
            defer { place.set(\.failsUndoing, false) }
            // It goes on as if nothing were wrong.
            try? tx.savepoint { throw Abandoned() }
          })
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["io", "io", "done", "done"])
        try expectEqual(try keys(store), [2, 3])
      }
    },
    ConformanceCase(
      "CON.group-engine-ends", ["TXN-12", "LIM-2"],
      "If the engine ends the transaction inside a body, every call that shares it throws the engine's error.",
      within: .seconds(60)
    ) { kit in
      try await shared(kit) { place, store in
        let waiting = try await WaitingWriters(
          store,
          writers(5) { number, tx in
            defer { place.set(\.insertionEnds, nil) }
            if number == 2 { place.set(\.insertionEnds, StorageError(.full, "told to be full")) }
            try tx.insert(Item(number))
          })
        let ended = codes(try await waiting.run())
        try expectEqual(ended, ["full", "full", "full", "done", "done"])
        try expectEqual(try keys(store), [3, 4])
        try await store.insert(Item(5))
      }
    },
    ConformanceCase(
      "CON.group-two-stores", ["TXN-11", "ISO-1"],
      "A write inside a write of another store does not wait for bodies that wait for that store.", within: .seconds(60)
    ) { kit in
      let other = try kit.store(Item.self)
      let store = try kit.open([Item.self], at: SharedCommits(try kit.makePlace()))
      let holder = try ScriptedTransaction.write(store)
      let inner = ThreadWrite(other, timeout: 30) { tx in
        try tx.insert(Item(1))
        try store.write(timeout: 30) { try $0.insert(Item(1)) }
      }
      try await store.untilWaiting(1)
      let outer = ThreadWrite(store, timeout: 30) { tx in
        try tx.insert(Item(2))
        try other.write(timeout: 5) { try $0.insert(Item(2)) }
      }
      try await store.untilWaiting(2)
      try holder.commit()
      try inner.outcome(within: 20, "the write inside waits for one that waits for it")
      try outer.outcome(within: 20, "the write waits for one that waits for it")
      try expectEqual(try keys(store), [1, 2])
      try expectEqual(try keys(other), [1, 2])
    },
    ConformanceCase(
      "CON.group-closed", ["TXN-11", "OPEN-3", "REENT-7"],
      "A body that closes the store ends all that share its commit, and all that wait: closed.", within: .seconds(60)
    ) { kit in
      for closer in [0, 1, 2] {
        let place = SharedCommits(try kit.makePlace())
        let store = try kit.open([Item.self], at: place)
        store.shareCommits(for: .seconds(60))
        let waiting = try await WaitingWriters(
          store,
          writers(4) { number, tx in
            try tx.insert(Item(number))
            if number == closer { try store.close() }
          })
        let outcomes = codes(try await waiting.run())
        try expectEqual(outcomes, Array(repeating: "closed", count: 4))
        let again = try kit.open([Item.self], at: place)
        try expectEqual(try keys(again), [])
        try again.close()
      }
    },
    ConformanceCase(
      "CON.group-late", ["TXN-10", "TXN-8", "TXN-11"],
      "A write that waits behind a shared commit is busy when its time is over or cancelled at once, and does not run.",
      within: .seconds(60)
    ) { kit in
      let place = SharedCommits(try kit.makePlace())
      let store = try kit.open([Item.self], at: place)
      let gate = Gate()
      let ran = Numbers()
      let waiting = try await WaitingWriters(
        store,
        [
          Writer { try $0.insert(Item(0)) },
          Writer { tx in
            gate.hold()
            try tx.insert(Item(1))
          },
          Writer(timeout: 0.5) { _ in ran.add(2) },
          Writer(isTask: true, timeout: 0.5) { _ in ran.add(3) },
          Writer(isTask: true) { try $0.insert(Item(4)) },
        ])
      let cancelled = Task.ofCase { try await store.write(timeout: 60) { _ in ran.add(5) } }
      try await store.untilWaiting(6)
      try waiting.begin()
      try await gate.reached()
      cancelled.cancel()
      switch await cancelled.result {
      case .success: try expect(false, "a write that had to wait was done")
      case .failure(let error): try expect(error is CancellationError, "\(error)")
      }
      while waiting.ended[2] == nil || waiting.ended[3] == nil { try await Task.sleep(for: .milliseconds(5)) }
      gate.open()
      let ended = codes(try await waiting.all())
      try expectEqual(ended, ["done", "done", "busy", "busy", "done"])
      try expectEqual(ran.all, [])
      try expectEqual(try keys(store), [0, 1, 4])
    },
  ]
}

/// Numbers that several have put together.
private final class Numbers: Sendable {
  private let list = Mutex<[Int]>([])

  var all: [Int] { list.withLock { $0 } }
  func add(_ number: Int) { list.withLock { $0.append(number) } }
}
