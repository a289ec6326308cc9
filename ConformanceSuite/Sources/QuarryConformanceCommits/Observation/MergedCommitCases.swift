import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Commits that wait as one for who observes late: what is in the one.
enum MergedCommitCases {
  static let all: [ConformanceCase] = [models, taken, updates]

  private static let models = ConformanceCase(
    "OBS.commits-merged-models", ["OBS-7", "OBS-5"],
    "Commits that wait as one have the objects of every model that one of them has changed.", within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    let commits = Pulled(store.commits())
    for id in 0..<60 { try store.insert(Item(id)) }
    for id in 0..<10 { try store.insert(Plain(id)) }
    try ObservationCases.waitForLast(store)
    var (items, plains): ([Value], [Value]) = ([], [])
    while plains.last != .int(9) {
      let commit = try unwrap(try commits.next())
      try expect(!commit.isUnknown, "a commit is not known")
      items += commit["Item"]?.inserted ?? []
      plains += commit["Plain"]?.inserted ?? []
    }
    try expectEqual(items, (0..<60).map { .int($0) }, "the items")
    try expectEqual(plains, (0..<10).map { .int($0) }, "the others")
  }

  private static let taken = ConformanceCase(
    "OBS.commits-taken-and-merged", ["OBS-7", "OBS-5"],
    "When an observer has taken some of the waiting commits, none of those that become one is lost.",
    within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    let commits = Pulled(store.commits())
    for id in 0..<5 { try store.insert(Item(id)) }
    try LateChangeCases.waitUntilHandedOver(store)
    for id in 0..<2 { try expectEqual(try commits.next()?["Item"]?.inserted, [.int(Int64(id))]) }
    for id in 5..<75 { try store.insert(Item(id)) }
    try LateChangeCases.waitUntilHandedOver(store, 2)
    var keys: [Value] = []
    while keys.last != .int(74) {
      let commit = try unwrap(try commits.next())
      keys += commit["Item"]?.inserted ?? []
    }
    try expectEqual(keys, (2..<75).map { .int($0) })
  }

  private static let updates = ConformanceCase(
    "OBS.merged-updates", ["OBS-5", "OBS-2"],
    "Many updates of an object that wait as one are one update, from the object before the first.", within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    try ObservationCases.fill(store)
    let query = Item.all.sorted(by: \.score)
    let changes = Pulled(store.changes(of: query))
    var list = try unwrap(try changes.next()).objects
    for round in 1...66 { try store.update(Item.self, 3) { $0.score = Double(round % 7) + 0.5 } }
    try store.update(Item.self, 3) { $0.score = 100 }
    try LateChangeCases.waitUntilHandedOver(store)
    while list.last?.score != 100 {
      let change = try unwrap(try changes.next())
      try expectEqual(change.objects.count, 5, "the objects after \(list.map(\.score))")
      try expectEqual(change.updates.map { [$0.old] }, [list.filter { $0.id == 3 }], "the object before")
      try expectEqual(change.applied(to: list), change.objects)
      list = change.objects
    }
    try expectEqual(list, try store.fetch(query))
  }
}
