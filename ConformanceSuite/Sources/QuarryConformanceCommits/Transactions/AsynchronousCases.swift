import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// The asynchronous forms of a read and of a write.
enum AsynchronousCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "TXN.async", ["TXN-8"], "The asynchronous forms read and write.", without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try kit.store(Item.self)
      let returned = try await store.write { tx in
        try tx.insert(Item(1))
        try store.insert(Item(2))
        return try tx.count(Item.all)
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
      let stored = try await store.count(Item.all)
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
              _ = try await store.read { try $0.count(Item.all) }
            } else {
              // All wait for the same object, at once.
              try await store.write(timeout: 60) { tx in
                _ = try tx.update(Item.self, 1) { $0.rank = ($0.rank ?? 0) + 1 }
              }
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
      let task = Task.ofCase {
        while !Task.isCancelled { await Task.yield() }
        try await store.write { try $0.insert(Item(1)) }
      }
      task.cancel()
      let result = await task.result
      do {
        try result.get()
        throw ConformanceFailure(message: "a cancelled write did not throw", file: #fileID, line: #line)
      } catch is CancellationError {}
      let stored = try await store.count(Item.all)
      try expectEqual(stored, 0)
    },
  ]
}
