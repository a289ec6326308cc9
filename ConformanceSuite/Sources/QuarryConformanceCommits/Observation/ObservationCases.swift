import Foundation
import QuarryBackend
import QuarryConformanceKit
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

  static let order: [ConformanceCase] = [
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
      "Each commit of many writers is notified once, in the order of versions.",
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
    ConformanceCase(
      "OBS.each-commit", ["OBS-1", "OBS-5"], "A closure that keeps up is called for each commit by itself."
    ) {
      kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all.sorted(by: \.score, order: .reverse), .items)
      for id in 0..<100 {
        let change = try unwrap(try watched.expectChange { try store.insert(Item(id, score: Double(id))) })
        try expectEqual(change.insertions.map(\.place), [0])
      }
      try expectEqual(watched.told.count, 101)
    },
    ConformanceCase(
      "OBS.several", ["OBS-1", "OBS-3"], "Each of several observers is notified of the commits that change its list."
    ) {
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
    ConformanceCase("OBS.other-model", ["OBS-3"], "An observer is not notified of a commit of another model.") { kit in
      let store = try kit.store(Item.self, Plain.self)
      let watched = try Watched(store, Item.all, .items)
      try store.insert(Plain(1, name: "a"))
      try store.delete(Plain.all)
      try expect(try watched.expectChange { try store.insert(Item(1)) } != nil)
      try expectEqual(watched.told.count, 2)
    },
    ConformanceCase(
      "OBS.undone", ["OBS-3"],
      "Observers are not notified of a transaction that is undone or a statement that is refused."
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
    ConformanceCase(
      "OBS.as-before", ["OBS-3"], "Observers are not notified of a commit that leaves their list as it was."
    ) { kit in
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
      "OBS.behind", ["OBS-5"], "A closure that is a thousand commits behind is called for a few merged changes.",
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
      "OBS.behind-large", ["OBS-5"], "Large objects that wait for a slow observer take bounded memory.",
      within: .seconds(60)
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
    ConformanceCase("OBS.sequence-merged", ["OBS-5"], "A sequence merges more than 64 waiting commits into one change.")
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
      "OBS.merged-away", ["OBS-5", "OBS-3"], "A change that a later waiting commit takes back is not notified."
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
}
