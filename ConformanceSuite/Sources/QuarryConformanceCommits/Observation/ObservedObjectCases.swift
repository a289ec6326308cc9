import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// One object, and commits by their keys.
enum ObservedObjectCases {
  static let all: [ConformanceCase] = objects + commits

  private static let objects: [ConformanceCase] = [
    ConformanceCase(
      "OBS.object", ["OBS-6"],
      "An observer of an object is notified when it is inserted, changed, removed and inserted again."
    ) {
      kit in
      let store = try kit.store(Item.self)
      let told = Told<ObjectChange<Item>>()
      let token = try store.observe(Item.self, 7) { told.note($0) }
      func expectNext(_ text: String) throws { try expectEqual(describe(try told.next()), text) }
      try expectNext("initial nil")
      try store.insert(Item(6))
      try store.insert(Item(7, name: "a"))
      try expectNext("inserted a")
      try store.update(Item.self, 6) { $0.name = "z" }
      try store.update(Item.self, 7) { $0.name = "b" }
      try expectNext("changed a b [\"name\"]")
      try store.upsert(Item(7, name: "b"))
      try store.write { tx in
        try tx.delete(Item.self, 7)
        try tx.insert(Item(7, rank: 3, name: "c"))
      }
      try expectNext("changed b c [\"rank\", \"name\"]")
      try store.delete(Item.all)
      try expectNext("deleted c")
      try store.upsert(Item(7, name: "d"))
      try expectNext("inserted d")
      token.cancel()
    },
    ConformanceCase(
      "OBS.object-sequence", ["OBS-6"], "The sequence of an object gives the same changes as its observer."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(7, name: "a"))
      let changes = Pulled(store.changes(of: Item.self, 7))
      try expectEqual(describe(try unwrap(changes.next())), "initial a")
      try store.delete(Item.self, 8)
      try store.assign(Item.self, 7) { $0.name = "b" }
      try expectEqual(describe(try unwrap(changes.next())), "changed a b [\"name\"]")
      try store.delete(Item.self, 7)
      try expectEqual(describe(try unwrap(changes.next())), "deleted b")
    },
    ConformanceCase(
      "OBS.object-key-paths", ["OBS-6", "OBS-8"], "An observer of an object may observe some of its properties."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(7, name: "a"))
      let changes = Pulled(store.changes(of: Item.self, 7, keyPaths: \.name))
      try expectEqual(describe(try unwrap(changes.next())), "initial a")
      try store.update(Item.self, 7) { $0.score = 3 }
      try store.update(Item.self, 7) { $0.name = "b" }
      try expectEqual(describe(try unwrap(changes.next())), "changed a b [\"name\"]")
    },
    ConformanceCase(
      "OBS.objects", ["OBS-6", "OBS-3"],
      "Each observer of a thousand objects is notified of the changes of its object.",
      without: [.reopened], within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<1_000).map { Item($0) })
      var all: [(Told<ObjectChange<Item>>, ObservationToken)] = []
      for id in 0..<1_000 {
        let told = Told<ObjectChange<Item>>()
        all.append((told, try store.observe(Item.self, id) { told.note($0) }))
      }
      for (told, _) in all { _ = try told.next() }
      for id in stride(from: 0, to: 1_000, by: 50) {
        try store.update(Item.self, id) { $0.name = "new" }
        try expectEqual(describe(try all[id].0.next()), "changed  new [\"name\"]")
      }
      try expectEqual(all.map(\.0.count).reduce(0, +), 1_020)
      for (_, token) in all { token.cancel() }
    },
    ConformanceCase(
      "OBS.ten-thousand", ["OBS-10", "OBS-6"], "Ten thousand observers come and go.",
      without: ConformanceVariant.allButFresh, within: .seconds(120)
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let told = Told<Int>()
      var tokens: [ObservationToken] = []
      for id in 0..<10_000 { tokens.append(try store.observe(Item.self, id) { _ in told.note(id) }) }
      for _ in tokens { _ = try told.next() }
      try store.update(Item.self, 1) { $0.name = "new" }
      try expectEqual(try told.next(), 1)
      for token in tokens { token.cancel() }
      try store.update(Item.self, 1) { $0.name = "newer" }
      try expectEqual(told.count, 10_001)
    },
  ]

  private static func describe(_ change: ObjectChange<Item>) -> String {
    switch change {
    case .initial(let object): "initial \(object?.name ?? "nil")"
    case .inserted(let object): "inserted \(object.name)"
    case .changed(let old, let new, let properties): "changed \(old.name) \(new.name) \(properties)"
    case .deleted(let object): "deleted \(object.name)"
    }
  }

  private static let commits: [ConformanceCase] = [
    ConformanceCase("OBS.commits", ["OBS-7"], "Commits have the keys of inserted, changed and removed objects.") {
      kit in
      let store = try kit.store(Item.self, Plain.self)
      try store.insert(contentsOf: [Item(1), Item(2), Item(3)])
      let commits = Pulled(store.commits())
      try store.write { tx in
        try tx.insert(contentsOf: [Item(9), Item(5)])
        try tx.update(Item.self, 2) { $0.name = "b" }
        try tx.delete(Item.self, 1)
        try tx.insert(Plain(4, name: "p"))
      }
      let commit = try unwrap(commits.next())
      try expectEqual(commit.version, try store.read { try $0.version })
      try expectEqual(commit.isUnknown, false)
      try expectEqual(commit.models.map(\.model), ["Item", "Plain"])
      let change = try unwrap(commit["Item"])
      try expectEqual(change.inserted, [.int(5), .int(9)])
      try expectEqual(change.updated, [.int(2)])
      try expectEqual(change.deleted, [.int(1)])
      try expectEqual(commit["Plain"]?.inserted, [.int(4)])
    },
    ConformanceCase("OBS.commits-nothing", ["OBS-7", "OBS-3"], "A commit that changes nothing is not notified.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: [Item(1), Item(2)])
      let commits = Pulled(store.commits())
      try store.write { _ in }
      try store.upsert(Item(1))
      try store.delete(Item.self, 77)
      try store.write { tx in
        try tx.insert(Item(3))
        try tx.delete(Item.self, 3)
      }
      try store.delete(Item.self, 2)
      let commit = try unwrap(commits.next())
      try expectEqual(commit["Item"]?.deleted, [.int(2)])
      try expectEqual(commit["Item"]?.inserted, [])
    },
    ConformanceCase("OBS.commits-each", ["OBS-7", "OBS-1"], "Commits come one by one, in their order.") { kit in
      let store = try kit.store(Item.self)
      let commits = Pulled(store.commits())
      for id in 0..<30 { try store.insert(Item(id)) }
      var last = CommitVersion(0)
      for id in 0..<30 {
        let commit = try unwrap(commits.next())
        try expectEqual(commit["Item"]?.inserted, [.int(Int64(id))])
        try expect(commit.version > last)
        last = commit.version
      }
    },
    ConformanceCase("OBS.commits-merged", ["OBS-7", "OBS-5"], "More than 64 waiting commits are merged into one.") {
      kit in
      let store = try kit.store(Item.self)
      let commits = Pulled(store.commits())
      for id in 0..<100 { try store.insert(Item(id)) }
      try ObservationCases.waitForLast(store)
      var keys: [Value] = []
      while keys.count < 100 {
        let commit = try unwrap(commits.next())
        keys += commit["Item"]?.inserted.filter { $0 != .int(-1) } ?? []
      }
      try expectEqual(keys, (0..<100).map { .int(Int64($0)) })
    },
    ConformanceCase(
      "OBS.commits-schema", ["OBS-7"], "A change of the models is notified as a commit of unknown objects.",
      needs: [.schemaCreateModel]
    ) { kit in
      let store = try kit.store(Item.self)
      let commits = Pulled(store.commits())
      try store.write { tx in
        try tx.apply(
          .createModel(
            ModelSchema(name: "New", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)))
      }
      try expectEqual(try commits.next()?.isUnknown, true)
      try store.insert(Item(1))
      try expectEqual(try commits.next()?["Item"]?.inserted, [.int(1)])
    },
    ConformanceCase("OBS.commits-closed", ["OBS-10"], "Closing the store ends the commits.") { kit in
      let store = try kit.store(Item.self)
      let task = Task.ofCase {
        var count = 0
        for try await _ in store.commits() { count += 1 }
        return count
      }
      try store.insert(Item(1))
      try store.close()
      try expect((0...1).contains(try valueOf(task)))
    },
  ]
}
