import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Deletes where the log does not have them any more, or where the insert comes later.
enum SyncTombstoneCases {
  static let all: [ConformanceCase] = [passedOn, late, renewed]

  private static let passedOn = SyncScene.syncing(
    "delete-passed-on", ["SYNC-47", "SYNC-51"], "A store that gets records loses what the others have deleted."
  ) { kit in
    let clock = SyncClock()
    let (a, b, c) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
    try a.insert("Team", SyncScene.team("t", "red"), SyncScene.team("u", "blue"), SyncScene.team("v", "gold"))
    try Store.replicate(a.store, b.store)
    try Store.replicate(a.store, c.store)
    try a.delete("Team", "t")
    try Store.replicate(a.store, c.store)
    try c.delete("Team", "u")
    try Store.replicate(a.store, c.store)
    // Neither delete is in the log of the store that the last one meets.
    try c.forgetLog()
    try expect(try Store.replicate(b.store, c.store).isEqual)
    try expectEqual(try b.keys("Team"), ["v"])
    try SyncScene.expectEqual(a, b, c)
  }

  private static let late = SyncScene.syncing(
    "delete-before-its-insert", ["SYNC-47", "SYNC-48"],
    "An insert that comes behind its delete brings nothing back, although the answer with the delete was cut."
  ) { kit in
    let clock = SyncClock()
    let (a, b, c, d) = (
      try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock)
    )
    for (key, name) in [("t", "red"), ("u", "blue"), ("v", "gold")] { try a.insert("Team", SyncScene.team(key, name)) }
    try Store.replicate(a.store, d.store)
    try a.delete("Team", "t")
    try Store.replicate(a.store, c.store)
    try c.forgetLog()
    let (session, records) = try c.answer(to: b)
    try b.sync.receive(session, Array(records.prefix(2)))
    try expectEqual(try b.keys("Team"), [])
    // This store does not know of the delete.
    let (other, entries) = try d.answer(to: b)
    try b.sync.receive(other, entries)
    try expectEqual(try b.keys("Team"), ["u", "v"])
    try b.expectSound()
    try SyncScene.expectEqual(b, c)
    try SyncScene.expectEqual(a, b, c, d)
    try expectEqual(try d.keys("Team"), ["u", "v"])
  }

  private static let renewed = SyncScene.syncing(
    "insert-behind-delete", ["SYNC-47", "SYNC-48", "SYNC-51"],
    "A store that gets the new object of a deleted key knows that the old one is gone, and edits of it are lost."
  ) { kit in
    let clock = SyncClock()
    let (a, b, c) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
    try a.insert("Team", SyncScene.team("t", "red", size: 1))
    try Store.replicate(a.store, c.store)
    try Store.replicate(c.store, b.store)
    try a.delete("Team", "t")
    try a.insert("Team", SyncScene.team("t", "red", size: 2))
    try Store.replicate(a.store, c.store)
    try a.forgetLog()
    try b.set("Team", "t", "size", 3)
    try SyncScene.expectEqual(a, b)
    try expectEqual(try b.value("Team", "t", "size"), 2)
    try expectEqual(try b.held(), ["lostEdit Team t"])
    try SyncScene.expectEqual(a, b, c)
  }
}
