import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import Synchronization

/// How changes are told: in order, once, not after the end, to who is slow as one.
enum ObservationCases {
  static let all: [ConformanceCase] = order + slow + ends + writing + counting

  static func fill(_ store: Store, _ ids: ClosedRange<Int> = 1...5) throws {
    try store.insert(contentsOf: ids.map { Item($0, rank: $0 % 3, name: "n\($0)", score: Double($0)) })
  }

  // MARK: Order

  private static let order: [ConformanceCase] = [
    ConformanceCase("OBS.initial", ["OBS-1"], "The initial list comes first, of an empty store too.") { kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all, .items)
      try expectEqual(watched.list.count, 0)
      try watched.expectChange { try fill(store) }
      let second = try Watched(store, Item.all.sorted(by: \.score, order: .reverse), .items)
      try expectEqual(second.list.map(\.id), [5, 4, 3, 2, 1])
    },
    ConformanceCase("OBS.versions", ["OBS-1", "ISO-3"], "Changes have the versions of their states, which rise.") {
      kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all, .items)
      var last = CommitVersion(0)
      for id in 0..<20 {
        let change = try unwrap(try watched.expectChange { try store.insert(Item(id)) })
        try expect(change.version > last, "version \(change.version) after \(last)")
        try expectEqual(change.version, try store.read { try $0.version })
        last = change.version
      }
    },
    ConformanceCase(
      "OBS.writers", ["OBS-1", "OBS-5"],
      "Of many writers at once each commit is told of once, in the order of versions.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let told = Told<QueryChange<Item>>()
      let token = try store.observe(Item.all) { told.note($0) }
      var list = try told.next().objects
      let (writers, each) = (4, 60)
      try onThreads(writers) { writer in
        for number in 0..<each { try store.insert(Item(writer * 1_000 + number)) }
      }
      var (version, changes) = (CommitVersion(0), 0)
      while list.count < writers * each {
        let change = try told.next("after \(list.count) objects")
        try expect(change.version > version, "version \(change.version) after \(version)")
        try expectEqual(change.applied(to: list), change.objects)
        try expectEqual(Set(change.insertions.map(\.object.id)).count, change.objects.count - list.count)
        (version, list, changes) = (change.version, change.objects, changes + 1)
      }
      try expectEqual(list, try store.fetch(Item.all))
      token.cancel()
    },
    ConformanceCase("OBS.each-commit", ["OBS-1", "OBS-5"], "A closure that keeps up is told of each commit alone.") {
      kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all.sorted(by: \.score, order: .reverse), .items)
      for id in 0..<100 {
        let change = try unwrap(try watched.expectChange { try store.insert(Item(id, score: Double(id))) })
        try expectEqual(change.insertions.map(\.place), [0])
      }
      try expectEqual(watched.told.count, 101)
    },
    ConformanceCase("OBS.several", ["OBS-1", "OBS-3"], "Each of several observers is told of what concerns it.") {
      kit in
      let store = try kit.store(Item.self, Plain.self)
      let even = try Watched(store, Item.where { $0.rank == 0 }, .items)
      let odd = try Watched(store, Item.where { $0.rank == 1 }, .items)
      let all = try Watched(store, Item.all.limit(2), .items)
      for id in 0..<20 {
        try store.insert(Item(id, rank: id % 2))
        for watched in [even, odd, all] { try watched.expectTold("\(id)") }
      }
      try expectEqual(even.told.count, 11)
      try expectEqual(odd.told.count, 11)
      try expectEqual(all.told.count, 3)
    },
    ConformanceCase("OBS.other-model", ["OBS-3"], "A commit of another model is not told of.") { kit in
      let store = try kit.store(Item.self, Plain.self)
      let watched = try Watched(store, Item.all, .items)
      try store.insert(Plain(1, name: "a"))
      try store.delete(Plain.all)
      try expect(try watched.expectChange { try store.insert(Item(1)) } != nil)
      try expectEqual(watched.told.count, 2)
    },
    ConformanceCase(
      "OBS.undone", ["OBS-3"], "A transaction that is undone, and a statement that is refused, is not told of."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let watched = try Watched(store, Item.all, .items)
      try expectAbandoned {
        try store.write { tx in
          try tx.delete(Item.all)
          throw Abandoned()
        }
      }
      try expectError(.uniqueViolation) { try store.insert(Item(9, code: "c1")) }
      try expectError(.duplicateKey) { try store.insert(contentsOf: [Item(10), Item(1)]) }
      try store.write { tx in
        try expectError(.duplicateKey) { try tx.insert(contentsOf: [Item(10), Item(1)]) }
        try expectError(.uniqueViolation) { try tx.assign(Item.all) { $0.code = "same" } }
        try tx.insert(Item(6))
      }
      let change = try unwrap(try watched.expectTold())
      try expectEqual(change.insertions.map(\.object.id), [6])
      try expectEqual(watched.told.count, 2)
    },
    ConformanceCase("OBS.as-before", ["OBS-3"], "What leaves the list as it was is not told of.") { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let watched = try Watched(store, Item.where { $0.rank == 1 }, .items)
      let objects = try store.fetch(Item.all)
      try store.upsert(contentsOf: objects)
      try store.update(Item.all) { $0.score += 0 }
      try store.assign(Item.all) { $0.score *= 1 }
      try store.write { tx in
        try tx.delete(Item.all)
        try tx.insert(contentsOf: objects)
      }
      try store.write { _ in }
      try store.insert(Item(30, rank: 2))
      try store.delete(Item.self, 30)
      try expect(try watched.expectChange { try store.delete(Item.self, 1) } != nil)
      try expectEqual(watched.told.count, 2)
    },
    ConformanceCase("OBS.bits", ["OBS-2", "OBS-3"], "Another bit is another object: -0.0, composed text, an array.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "\u{E9}", score: 0.0, note: nil, tags: []))
      let watched = try Watched(store, Item.all, .items)
      for (property, change) in [
        ("score", { $0.score = -0.0 }), ("name", { $0.name = "e\u{301}" }), ("note", { $0.note = "" }),
        ("tags", { $0.tags = [""] }),
      ] as [(String, (inout Item) -> Void)] {
        let told = try unwrap(try watched.expectChange { try store.update(Item.self, 1, change) }, property)
        try expectEqual(told.updates.map(\.properties), [[property]])
      }
    },
    ConformanceCase("OBS.moves", ["OBS-2"], "As few objects move as can, whichever were changed.") { kit in
      let store = try kit.store(Item.self)
      try fill(store, 1...9)
      let watched = try Watched(store, Item.all.sorted(by: \.score), .items)
      for (ids, score) in [
        ([1], 20.0), ([9], 0.5), ([5, 6], 30), ([2, 3, 4, 5, 6, 7, 8], -1), ([1, 9], 2.5), ([4], 4),
      ] {
        try watched.expectChange("\(ids) to \(score)") {
          try store.write { tx in
            for id in ids { try tx.update(Item.self, id) { $0.score = score + Double(id) / 100 } }
          }
        }
      }
    },
    ConformanceCase("OBS.many", ["OBS-2"], "Thousands of objects change in one commit.", within: .seconds(60)) { kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.where { $0.rank != 2 }.sorted(by: \.name), .items)
      for step in 0..<3 {
        let change = try watched.expectChange("step \(step)") {
          try store.upsert(
            contentsOf: (0..<1_500).map { Item($0 * (step + 1), rank: ($0 + step) % 3, name: "n\($0 * 7 % 97)") })
        }
        try expect(change != nil)
      }
    },
    ConformanceCase(
      "OBS.large", ["OBS-1", "OBS-17"], "More bytes change in one commit than are captured.", within: .seconds(60)
    ) {
      kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all, .items)
      let text = String(repeating: "x", count: 1 << 20)
      try expect(
        try watched.expectChange { try store.insert(contentsOf: (0..<18).map { Item($0, name: text) }) } != nil)
      let change = try unwrap(try watched.expectChange { try store.update(Item.self, 7) { $0.name = "short" } })
      try expectEqual(change.updates.map(\.place), [7])
    },
  ]

  // MARK: Who is slow

  private static let slow: [ConformanceCase] = [
    ConformanceCase(
      "OBS.behind", ["OBS-5"], "A closure that is a thousand commits behind is told of them as a few.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let (told, goOn, token) = try heldObserver(store)
      for id in 0..<1_000 { try store.insert(Item(id)) }
      try store.delete(Item.where { $0.id < 500 })
      // Who is not behind may be told of each.
      try waitForLast(store)
      goOn.signal()
      var list = try told.next().objects
      var changes = 0
      while list.map(\.id) != Array(500..<1_000) {
        let change = try told.next("after \(list.count) objects")
        try expectEqual(change.applied(to: list), change.objects)
        (list, changes) = (change.objects, changes + 1)
      }
      try expect(changes <= 65, "\(changes) changes")
      token.cancel()
    },
    ConformanceCase(
      "OBS.behind-large", ["OBS-5"], "Large objects wait in bounded memory for who is slow.", within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let text = String(repeating: "x", count: 200_000)
      let (told, goOn, token) = try heldObserver(store)
      for round in 0..<60 { try store.upsert(Item(round % 3, name: text, score: Double(round))) }
      try waitForLast(store)
      goOn.signal()
      var list = try told.next().objects
      while list.map(\.score) != [57, 58, 59] {
        let change = try told.next("after \(list.map(\.score))")
        try expectEqual(change.applied(to: list), change.objects)
        list = change.objects
      }
      // 60 commits of 200,000 bytes are more than wait one by one.
      try expect(told.count < 60, "\(told.count) changes")
      token.cancel()
    },
    ConformanceCase(
      "OBS.sequence-behind", ["OBS-5", "OBS-1"], "A sequence that is read late gives up to 64 changes one by one."
    ) { kit in
      let store = try kit.store(Item.self)
      let changes = Pulled(store.changes(of: Item.all))
      try expectEqual(try changes.next()?.objects.count, 0)
      for id in 0..<40 { try store.insert(Item(id)) }
      // All of them wait when the last has come.
      try waitForLast(store)
      for id in 0..<40 {
        let change = try unwrap(changes.next())
        try expectEqual(change.insertions.map(\.object.id), [id])
      }
    },
    ConformanceCase("OBS.sequence-merged", ["OBS-5"], "Of more than 64 commits that wait a sequence gives one change.")
    { kit in
      let store = try kit.store(Item.self)
      let changes = Pulled(store.changes(of: Item.where { $0.rank == 1 }))
      try expectEqual(try changes.next()?.objects.count, 0)
      for id in 0..<65 { try store.insert(Item(id, rank: 1)) }
      try waitForLast(store)
      let change = try unwrap(changes.next())
      try expectEqual(change.insertions.count, 65)
      try store.insert(Item(100, rank: 1))
      try expectEqual(try changes.next()?.insertions.map(\.place), [65])
    },
    ConformanceCase(
      "OBS.merged-away", ["OBS-5", "OBS-3"], "Of what waits as one that is not told of which was taken back."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let changes = Pulled(store.changes(of: Item.all))
      try expectEqual(try changes.next()?.objects.count, 5)
      for round in 0..<70 {
        try store.update(Item.self, 1) { $0.score = Double(round) }
        try store.insert(Item(50 + round))
        try store.delete(Item.self, 50 + round)
      }
      try store.update(Item.self, 1) { $0.score = 1 }
      try waitForLast(store)
      try store.update(Item.self, 2) { $0.score = 7 }
      var list = try store.fetch(Item.all)
      list[1].score = 2
      var count = 0
      while list[1].score != 7 {
        let change = try unwrap(changes.next())
        (list, count) = (change.objects, count + 1)
      }
      try expect(count <= 66, "\(count) changes")
      try expectEqual(list, try store.fetch(Item.all))
    },
  ]

  /// An observer that is held in its first call until it is told to go on.
  private static func heldObserver(
    _ store: Store
  ) throws -> (told: Told<QueryChange<Item>>, goOn: DispatchSemaphore, token: ObservationToken) {
    let told = Told<QueryChange<Item>>()
    let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let token = try store.observe(Item.all) { change in
      if change.isInitial {
        entered.signal()
        goOn.wait()
      }
      told.note(change)
    }
    entered.wait()
    return (told, goOn, token)
  }

  /// Waits until all commits so far were handed to those who observe: another who observes is told of one more.
  static func waitForLast(_ store: Store) throws {
    let told = Told<ObjectChange<Item>>()
    let token = try store.observe(Item.self, -1) { told.note($0) }
    _ = try told.next()
    try store.insert(Item(-1, rank: -1))
    _ = try told.next()
    token.cancel()
    try store.delete(Item.self, -1)
  }

  // MARK: The end

  private static let ends: [ConformanceCase] = [
    ConformanceCase("OBS.cancelled", ["OBS-10"], "After it was cancelled an observer is not told of anything.") { kit in
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
    ConformanceCase("OBS.let-go", ["OBS-10"], "A token that is let go ends the observation.") { kit in
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
      "OBS.begun-beside-writers", ["OBS-1", "OBS-12"], "Whoever begins while others write misses nothing.",
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
    ConformanceCase("OBS.closed-before", ["OBS-10", "OBS-13", "ERR-1"], "A closed store is observed by nobody.") {
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
    ConformanceCase("OBS.no-query", ["OBS-13"], "What cannot be read cannot be observed, and says so at once.") { kit in
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

  // MARK: Writing while being told

  private static let writing: [ConformanceCase] = [
    ConformanceCase("OBS.write-inside", ["OBS-12"], "A closure that is told may write; that is told of after it.") {
      kit in
      let store = try kit.store(Item.self)
      let told = Told<[Int]>()
      let token = try store.observe(Item.all) { change in
        if change.objects.count < 10 { try store.insert(Item(change.objects.count)) }
        told.note(change.objects.map(\.id))
      }
      for count in 0...10 { try expectEqual(try told.next(), Array(0..<count)) }
      token.cancel()
    },
    ConformanceCase("OBS.read-inside", ["OBS-1", "OBS-12"], "A closure reads what it is told of, or what came later.") {
      kit in
      let store = try kit.store(Item.self)
      let told = Told<Bool>()
      let token = try store.observe(Item.all) { change in
        told.note(try store.count(Item.all) >= change.objects.count)
      }
      for id in 0..<20 { try store.insert(Item(id)) }
      for _ in 0..<15 { try expectEqual(try told.next(), true) }
      token.cancel()
    },
    ConformanceCase(
      "OBS.begun-inside", ["OBS-12"],
      "Who begins to observe inside a transaction sees the committed state, and then the commit."
    ) { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.write { tx in
        try tx.delete(Item.all)
        let token = try store.observe(Item.all) { told.note($0) }
        try expectEqual(try told.next().objects.count, 5)
        try tx.insert(Item(77))
        return token
      }
      let change = try told.next()
      try expectEqual(change.objects.map(\.id), [77])
      try expectEqual(change.deletions.count, 5)
      token.cancel()
    },
    ConformanceCase("OBS.begun-in-read", ["OBS-12"], "Who begins inside a read sees the newest state.") { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.read { tx in
        _ = try tx.count(Item.all)
        return try store.observe(Item.all) { told.note($0) }
      }
      try expectEqual(try told.next().objects.count, 5)
      try store.insert(Item(6))
      try expectEqual(try told.next().insertions.map(\.object.id), [6])
      token.cancel()
    },
    ConformanceCase("OBS.silent", ["OBS-11"], "Who is named by a write is not told of it, and its list has it.") {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let (named, other) = (try Watched(store, Item.all, .items), try Watched(store, Item.all, .items))
      let token = try unwrap(named.token)
      try store.write(withoutNotifying: [token]) { tx in
        try tx.delete(Item.self, 2)
        try tx.update(Item.self, 3) { $0.score = 50 }
      }
      try other.expectTold()
      try store.insert(Item(6))
      try other.expectTold()
      // The change is that of a list that has the silent one.
      let change = try named.told.next()
      try expectEqual(change.deletions.count, 0)
      try expectEqual(change.updates.count, 0)
      try expectEqual(change.insertions.map(\.place), [4])
      try expectEqual(change.objects, try store.fetch(Item.all))
      try expectEqual(named.told.count, 2)
    },
    ConformanceCase("OBS.silent-limit", ["OBS-11", "OBS-5"], "Nor where the list is read again.") { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let (named, other) = (
        try Watched(store, Item.all.limit(3), .items), try Watched(store, Item.all.limit(3), .items)
      )
      try store.write(withoutNotifying: [try unwrap(named.token)]) { try $0.delete(Item.self, 2) }
      try other.expectTold()
      try store.insert(Item(0))
      try other.expectTold()
      // Read again, the list may have both at once; then both are told of.
      let change = try named.told.next()
      try expectEqual(change.objects.map(\.id), [0, 1, 3])
      try expect(change.insertions.map(\.place).contains(0), "the commit after the silent one is not told of")
      try expectEqual(named.told.count, 2)
    },
    ConformanceCase("OBS.silent-inside", ["OBS-11"], "A silent write inside a transaction is reentrant.") { kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all, .items)
      let token = try unwrap(watched.token)
      try store.write { tx in
        try expectError(.reentrant) { try store.write(withoutNotifying: [token]) { try $0.insert(Item(1)) } }
        try tx.insert(Item(2))
      }
      try expectEqual(try watched.expectTold()?.insertions.map(\.object.id), [2])
    },
  ]

  // MARK: What counts

  private static let counting: [ConformanceCase] = [
    ConformanceCase("OBS.key-paths", ["OBS-8"], "Of properties that do not count a change is told of with the next.") {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.observe(Item.all, keyPaths: \.name, \.rank) { told.note($0) }
      _ = try told.next()
      try store.update(Item.self, 1) { $0.score = 77 }
      try store.assign(Item.all) { $0.note = "all" }
      try store.update(Item.self, 2) {
        $0.name = "two"
        $0.score = 5
      }
      let change = try told.next()
      try expectEqual(change.updates.map { "\($0.place) \($0.properties)" }, ["1 [\"name\", \"score\"]"])
      try expectEqual(change.objects, try store.fetch(Item.all))
      try store.update(Item.self, 3) { $0.rank = nil }
      try expectEqual(try told.next().updates.map(\.properties), [["rank"]])
      token.cancel()
    },
    ConformanceCase("OBS.key-paths-others", ["OBS-8"], "What comes, goes and moves counts whatever the properties.") {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.observe(Item.where { $0.score < 90 }.sorted(by: \.score), keyPaths: \.name) {
        told.note($0)
      }
      _ = try told.next()
      try store.insert(Item(9, score: 9))
      try expectEqual(try told.next().insertions.map(\.place), [5])
      try store.delete(Item.self, 9)
      try expectEqual(try told.next().deletions.map(\.place), [5])
      try store.update(Item.self, 1) { $0.score = 50 }
      try expectEqual(try told.next().moves.map { [$0.from, $0.to] }, [[0, 4]])
      try store.update(Item.self, 1) { $0.score = 95 }
      try expectEqual(try told.next().deletions.map(\.object.id), [1])
      token.cancel()
    },
    ConformanceCase("OBS.key-paths-none", ["OBS-8", "OBS-13"], "A sequence of properties that count gives only those.")
    { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let changes = Pulled(store.changes(of: Item.all, keyPaths: \.note))
      try expectEqual(try changes.next()?.objects.count, 5)
      for round in 0..<10 { try store.update(Item.self, 1) { $0.score = Double(round) + 20 } }
      try store.update(Item.self, 2) { $0.note = "n" }
      try expectEqual(try changes.next()?.updates.map(\.properties), [["note"]])
    },
  ]
}
