import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

extension ConcurrencyCases {
  // MARK: Tasks

  static let tasks: [ConformanceCase] = [
    ConformanceCase(
      "CON.tasks", ["TXN-8", "ISO-1"], "A thousand tasks on one store all end, and their writes add up.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(Item(1, rank: 0))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<1000 {
          group.addTask {
            if task % 10 == 0 {
              // All wait for the same object, at once.
              try await store.write(timeout: 60) { tx in _ = try tx.update(Item.self, 1) { $0.rank? += 1 } }
            } else {
              _ = try await store.read { try $0.get(Item.self, 1) }
            }
          }
        }
        try await group.waitForAll()
      }
      let stored = try await store.get(Item.self, 1)?.rank
      try expectEqual(stored, 100)
    },
    ConformanceCase(
      "CON.cancel-storm", ["TXN-8", "TXN-1"],
      "Each of the tasks that are cancelled at any time has written everything, or nothing and thrown CancellationError.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      var done: Set<Int> = []
      let tasks = (0..<80).map { id in
        Task.ofCase { try await store.write { tx in try tx.insert(contentsOf: [Item(id), Item(id + 1000)]) } }
      }
      for (id, task) in tasks.enumerated() where id % 3 != 0 {
        task.cancel()
        if id % 5 == 0 { await Task.yield() }
      }
      for (id, task) in tasks.enumerated() {
        do {
          try await task.value
          done.insert(id)
        } catch is CancellationError {
          try expect(id % 3 != 0, "the task \(id) was not cancelled")
        }
      }
      let stored = try await store.keys(Item.all)
      try expectEqual(stored, (done.map { $0 } + done.map { $0 + 1000 }).sorted())
    },
    ConformanceCase(
      "CON.cancel-inside", ["TXN-8", "TXN-7"], "A write that has begun is not cancelled.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let task = Task.ofCase {
        try await store.write { tx in
          withUnsafeCurrentTask { $0?.cancel() }
          try tx.insert(Item(1))
        }
      }
      task.cancel()
      // Whether it began before the cancellation is not known; if it says that it was done, it was.
      switch await task.result {
      case .success:
        let stored = try await store.count(Item.all)
        try expectEqual(stored, 1)
      case .failure(let error):
        try expect(error is CancellationError, "\(error)")
        let stored = try await store.count(Item.all)
        try expectEqual(stored, 0)
      }
    },
    ConformanceCase(
      "CON.body-once", ["TXN-7"], "Bodies of many writers at once run once each.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let runs = Atomic(0)
      try onThreads(6) { thread in
        for round in 0..<10 {
          try store.write { tx in
            runs.add(1, ordering: .relaxed)
            try tx.insert(Item(thread * 100 + round))
          }
        }
      }
      try expectEqual(runs.load(ordering: .relaxed), 60)
      try expectEqual(try store.count(Item.all), 60)
    }.only(.one),
    ConformanceCase(
      "CON.body-once-busy", ["TXN-7", "ISO-1"], "The body of a writer that is busy does not run.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      let writer = try ScriptedTransaction.write(store)
      let runs = Atomic(0)
      try expectError(.busy) { try store.write(timeout: 0.02) { _ in runs.add(1, ordering: .relaxed) } }
      writer.abort()
      try expectEqual(runs.load(ordering: .relaxed), 0)
    }.only(.one),
    ConformanceCase(
      "CON.actor", ["TXN-8", "ISO-1"], "An actor that owns a store counts right across its suspensions.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(Item(1, rank: 0))
      let owner = Owner(store)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 { group.addTask { try await owner.count() } }
        try await group.waitForAll()
      }
      let difference = try await owner.difference()
      try expectEqual(difference, 0)
    },
    ConformanceCase(
      "CON.main-thread-blocked", ["TXN-8"], "Synchronous and asynchronous writers take turns.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(Item(1, rank: 0))
      let tasks = (0..<20).map { _ in
        Task.ofCase { try await store.write { tx in _ = try tx.update(Item.self, 1) { $0.rank? += 1 } } }
      }
      try onThreads(3) { _ in
        for _ in 0..<10 { try store.update(Item.self, 1) { $0.rank? += 1 } }
      }
      for task in tasks { _ = try await task.value }
      let stored = try await store.get(Item.self, 1)?.rank
      try expectEqual(stored, 50)
    },
    ConformanceCase(
      "CON.stream-under-writes", ["SNAP-1", "TXN-8"], "A stream sees one state while many write.", within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self)
      try await store.insert(contentsOf: (0..<200).map { Item($0, rank: 0) })
      let writers = Task.ofCase {
        for _ in 0..<10 { try await store.write { tx in _ = try tx.assign(Item.all) { $0.rank += 1 } } }
      }
      var ranks: Set<Int?> = []
      var count = 0
      for try await item in store.stream(Item.all, batchSize: 16) {
        ranks.insert(item.rank)
        count += 1
      }
      try await writers.value
      try expectEqual(count, 200)
      try expectEqual(ranks.count, 1)
    },
  ]
}
