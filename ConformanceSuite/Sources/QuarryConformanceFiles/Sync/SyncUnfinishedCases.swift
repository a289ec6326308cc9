import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Answers of records whose end does not come, because their sender is away for ever.
enum SyncUnfinishedCases {
  static let all: [ConformanceCase] = [left, continued]

  /// A store with a trimmed log sends a part of its records, a third store has none of them.
  private static func scene(_ kit: ConformanceContext) throws -> (a: SyncPeer, b: SyncPeer, c: SyncPeer) {
    let clock = SyncClock()
    let (a, b, c) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
    let witness = try SyncPeer(kit, clock)
    for name in ["red", "blue", "gold", "pink"] { try a.insert("Team", SyncScene.team(name, name)) }
    try a.insert("Person", SyncScene.person("p", "Ann", nick: "x", team: "red"))
    try a.insert("Job", SyncScene.job("j", "cook", of: "p"))
    try Store.replicate(a.store, witness.store)
    try a.sync.trim(keeping: 0)
    let (session, messages) = try a.answer(to: b)
    try b.sync.receive(session, Array(messages.prefix(5)))
    try expect(try !b.keys("Team").isEmpty, "some records have come")
    try b.insert("Team", SyncScene.team("own", "own"))
    return (a, b, c)
  }

  private static let left = SyncScene.syncing(
    "unfinished-rows", ["SYNC-47", "SYNC-48"],
    "Two stores agree, although one has a part of an answer of records whose sender is away.", within: .seconds(60)
  ) { kit in
    let (a, b, c) = try scene(kit)
    b.clock.advance(days: 1)
    try SyncScene.expectEqual(b, c)
    try expect(try c.keys("Team").count > 1, "the records have come to the third store")
    // A fourth one has them from the third.
    let d = try SyncPeer(kit, a.clock)
    try SyncScene.expectEqual(c, d)
    try expectEqual(try d.content(), try b.content())
    // Nothing is sent again at rest.
    for (asker, other) in [(b, c), (c, b), (c, d), (d, c)] {
      try expectEqual(try other.answer(to: asker).messages.count, 1, "the messages of an answer at rest")
    }
    try c.set("Team", "own", "size", 3)
    try SyncScene.expectEqual(a, b, c, d)
    try expectEqual(try d.value("Job", "j", "person"), "p")
    try expectEqual(try a.value("Team", "own", "size"), 3)
  }

  private static let continued = SyncScene.syncing(
    "unfinished-rows.waiting", ["SYNC-47", "SYNC-48"],
    "An answer of records goes on where it was cut, although others have asked meanwhile.", within: .seconds(60)
  ) { kit in
    let (a, b, c) = try scene(kit)
    // The rest may still come: the other store gets what the log has.
    try Store.replicate(b.store, c.store)
    try expectEqual(try c.keys("Team"), ["own"])
    let (session, messages) = try a.answer(to: b)
    let rows = messages.filter { if case .rows = $0.message { true } else { false } }
    try expectEqual(rows.count, 2, "the records that are left")
    // They begin nowhere in another store.
    try c.sync.receive(try c.sync.hello().session, messages)
    try expectEqual(try c.keys("Team"), ["own"])
    try b.sync.receive(session, messages)
    try b.expectSound()
    // The end has come: nothing of it is in doubt.
    try SyncScene.expectEqual(a, b, c)
    try expectEqual(try c.keys("Team").count, 5)
  }
}
