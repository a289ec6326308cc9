import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

extension ObservationCases {
  // MARK: The end

  static let ends: [ConformanceCase] = [
    ConformanceCase("OBS.cancelled", ["OBS-10"], "A cancelled observer is not notified of anything.") { kit in
      let store = try kit.store(Item.self)
      let (first, second) = (try Watched(store, Item.all, .items), try Watched(store, Item.all, .items))
      try store.insert(Item(1))
      try first.expectTold()
      try second.expectTold()
      first.cancel()
      for id in 2..<30 {
        try store.insert(Item(id))
        try second.expectTold()
      }
      try expectEqual(first.told.count, 2)
      try expectEqual(first.told.errors.count, 0)
    },
    ConformanceCase("OBS.let-go", ["OBS-10"], "An observation ends when its token is released.") { kit in
      let store = try kit.store(Item.self)
      let told = Told<QueryChange<Item>>()
      var token: ObservationToken? = try store.observe(Item.all) { told.note($0) }
      _ = try told.next()
      try expect(token != nil)
      token = nil
      let other = try Watched(store, Item.all, .items)
      try other.expectChange { try store.insert(Item(1)) }
      try expectEqual(told.count, 1)
    },
    ConformanceCase(
      "OBS.cancelled-inside", ["OBS-10", "OBS-12"], "A closure may cancel its own token, and is not called again."
    ) {
      kit in
      let store = try kit.store(Item.self)
      let told = Told<Int>()
      let held = Mutex<ObservationToken?>(nil)
      let ready = DispatchSemaphore(value: 0)
      let token = try store.observe(Item.all) { change in
        if change.isInitial {
          ready.wait()
          held.withLock { $0?.cancel() }
        }
        told.note(change.objects.count)
      }
      held.withLock { $0 = token }
      ready.signal()
      try expectEqual(try told.next(), 0)
      let other = try Watched(store, Item.all, .items)
      for id in 1..<10 { try other.expectChange { try store.insert(Item(id)) } }
      try expectEqual(told.count, 1)
    },
    ConformanceCase(
      "OBS.cancelled-often", ["OBS-10"], "Observers come and go while others write.", within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all.sorted(by: \.score), .items)
      try onThreads(3) { thread in
        for round in 0..<40 {
          if thread == 0 {
            try store.insert(Item(round, score: Double(round * 37 % 41)))
          } else {
            let told = Told<QueryChange<Item>>()
            let token = try store.observe(Item.where { $0.score > 10 }) { told.note($0) }
            let initial = try told.next()
            try expect(initial.isInitial)
            token.cancel()
          }
        }
      }
      var list = watched.list
      while list.count < 40 {
        let change = try watched.told.next()
        try expectEqual(change.applied(to: list), change.objects)
        list = change.objects
      }
      try expectEqual(list, try store.fetch(Item.all.sorted(by: \.score)))
    },
    ConformanceCase(
      "OBS.begun-beside-writers", ["OBS-1", "OBS-12"],
      "An observation that begins while others write misses no commit.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let all = 120
      let started = Mutex<[(told: Told<QueryChange<Item>>, token: ObservationToken)]>([])
      try onThreads(2) { thread in
        if thread == 0 {
          for id in 0..<all { try store.insert(Item(id, rank: id % 3)) }
        } else {
          for _ in 0..<20 {
            let told = Told<QueryChange<Item>>()
            let token = try store.observe(Item.where { $0.rank != 1 }) { told.note($0) }
            started.withLock { $0.append((told, token)) }
          }
        }
      }
      let due = try store.fetch(Item.where { $0.rank != 1 })
      for (told, token) in started.withLock({ $0 }) {
        var list = try told.next().objects
        while list.count < due.count {
          let change = try told.next("after \(list.count)")
          try expectEqual(change.applied(to: list), change.objects)
          list = change.objects
        }
        try expectEqual(list, due)
        token.cancel()
      }
    },
    ConformanceCase("OBS.task-cancelled", ["OBS-10"], "A sequence ends when its task is cancelled.") { kit in
      let store = try kit.store(Item.self)
      let told = Told<Int>()
      let task = Task.ofCase {
        for try await change in store.changes(of: Item.all) { told.note(change.objects.count) }
        return true
      }
      try expectEqual(try told.next(), 0)
      try store.insert(Item(1))
      try expectEqual(try told.next(), 1)
      task.cancel()
      try expectEqual(try valueOf(task), true)
      try store.insert(Item(2))
      try expectEqual(told.count, 2)
    },
    ConformanceCase("OBS.closed", ["OBS-10"], "Closing the store ends sequences and observers without an error.") {
      kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all, .items)
      let begun = Told<Int>()
      let tasks = [
        Task.ofCase {
          for try await change in store.changes(of: Item.all) { begun.note(change.objects.count) }
          return "ended"
        },
        Task.ofCase {
          for try await _ in store.changes(of: Item.self, 1) { begun.note(0) }
          return "ended"
        },
      ]
      for _ in tasks { _ = try begun.next() }
      try store.close()
      for task in tasks { try expectEqual(try valueOf(task), "ended") }
      try expectEqual(watched.told.errors.count, 0)
      watched.cancel()
    },
    ConformanceCase("OBS.closed-before", ["OBS-10", "OBS-13", "ERR-1"], "An observation of a closed store is closed.") {
      kit in
      let store = try kit.store(Item.self)
      try store.close()
      try expectError(.closed) { try store.observe(Item.all) { _ in } }
      try expectError(.closed) { try store.observe(Item.self, 1) { _ in } }
      try expectError(.closed) { try store.cached(Item.all, for: .seconds(1)) }
      try expectError(.closed) { try Pulled(store.changes(of: Item.all)).next() }
      try expect(try Pulled(store.commits()).next() == nil, "a commit of a closed store")
    },
    ConformanceCase("OBS.closed-inside", ["OBS-10", "OBS-12"], "A closure may close the store.") { kit in
      let store = try kit.store(Item.self)
      let told = Told<Bool>()
      let token = try store.observe(Item.all) { change in
        guard !change.isInitial else { return }
        try store.close()
        told.note(true)
      }
      try store.insert(Item(1))
      try expectEqual(try told.next(), true)
      try expectError(.closed) { try store.count(Item.all) }
      token.cancel()
    },
    ConformanceCase("OBS.no-query", ["OBS-13"], "An observation of a query that cannot be read throws at once.") {
      kit in
      let store = try kit.store(Item.self)
      for (code, query) in [
        (.invalidQuery, QueryTree(model: "Itm")),
        (.invalidQuery, QueryTree(model: "Item", predicate: .compare(.named("nme"), .equal, .value(.int(1))))),
        (.invalidQuery, QueryTree(model: "Item", limit: -1)),
        (.unsupported, QueryTree(model: "Item", order: [QueryTree.SortKey("tags")])),
      ] as [(StorageError.Code, QueryTree)] {
        try expectError(code, "\(query)") { try store.observe(query) { _ in } }
        try expectError(code, "\(query)") { try Pulled(store.changes(of: query)).next() }
      }
      try expectError(.schemaMismatch) { try store.observe(Plain.all) { _ in } }
      try expectError(.schemaMismatch) { try store.cached(Plain.all, for: .seconds(1)) }
      // Nobody is left behind.
      try store.insert(Item(1))
    },
    ConformanceCase("OBS.throws", ["OBS-13"], "A closure that throws ends its own observation, and no other.") { kit in
      let store = try kit.store(Item.self)
      let told = Told<Int>()
      let calls = Atomic(0)
      let token = try store.observe(Item.all, onError: { told.note(error: $0) }) { change in
        calls.add(1, ordering: .relaxed)
        if !change.isInitial { throw Abandoned() }
      }
      let other = try Watched(store, Item.all, .items)
      for id in 0..<5 { try other.expectChange { try store.insert(Item(id)) } }
      try expect(try told.error() is Abandoned)
      try expectEqual(calls.load(ordering: .relaxed), 2)
      token.cancel()
    },
    ConformanceCase(
      "OBS.model-changed", ["OBS-13"], "An observed model that is changed ends the observation with the error.",
      needs: [.schemaAddProperty]
    ) { kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, QueryTree(model: "Item"))
      try store.write { tx in
        let model = try tx.model(named: "Item")
        try tx.apply(.addProperty(model.id, PropertySchema(name: "more", type: .int64, isOptional: true)))
      }
      let error = try watched.told.error()
      try expectEqual((error as? StorageError)?.code, .schemaMismatch)
    },
    ConformanceCase(
      "OBS.leaves-nothing", ["OBS-10"], "Two hundred observers that have ended leave the store as it was.",
      without: [.reopened]
    ) { kit in
      let store = try kit.store(Item.self)
      let object = Sentinel()
      weak let kept: Sentinel? = object
      try holdAndCancel(store, object)
      try store.insert(Item(1))
      _ = consume object
      // Threads that have called closures let go of them a moment later.
      let end = ContinuousClock.now + .seconds(Watching.patience)
      while kept != nil, ContinuousClock.now < end { usleep(1_000) }
      try expect(kept == nil, "an observer that has ended is kept")
    },
  ]

  private final class Sentinel: Sendable {}

  private static func holdAndCancel(_ store: Store, _ object: consuming Sentinel) throws {
    let held = object
    let told = Told<Int>()
    var tokens: [ObservationToken] = []
    for _ in 0..<200 {
      tokens.append(
        try store.observe(Item.all) { change in
          withExtendedLifetime(held) { told.note(change.objects.count) }
        })
    }
    for _ in tokens { _ = try told.next() }
    for token in tokens { token.cancel() }
  }
}
