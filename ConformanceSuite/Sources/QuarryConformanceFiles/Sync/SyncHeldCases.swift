import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// What waits for another object, what a program does with it, the status and the log of entries.
enum SyncHeldCases {
  static let all: [ConformanceCase] = held + discarded + status

  private static func meeting(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (SyncPeer, SyncPeer) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing(name, clauses, summary) { kit in
      let clock = SyncClock()
      try body(try SyncPeer(kit, clock), try SyncPeer(kit, clock))
    }
  }

  /// Two teams of one name: that of `a` is older and is shown, that of `b` is held with what belongs to it.
  private static func clash(_ a: SyncPeer, _ b: SyncPeer) throws {
    try a.insert("Team", SyncScene.team("t", "red"))
    try b.insert("Team", SyncScene.team("u", "red", size: 7))
    try b.insert("Person", SyncScene.person("p", "Ann", team: "u"))
    try SyncScene.expectEqual(a, b)
  }

  /// Two teams of one name: that of `a` is older, and that of `b` will be held when they meet.
  private static func twoTeams(_ a: SyncPeer, _ b: SyncPeer) throws {
    try a.insert("Team", SyncScene.team("t", "red"))
    try b.insert("Team", SyncScene.team("u", "red", size: 7))
  }

  private static func three(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (SyncPeer, SyncPeer, SyncPeer) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing(name, clauses, summary) { kit in
      let clock = SyncClock()
      try body(try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
    }
  }

  private static let held: [ConformanceCase] = [
    meeting(
      "unique", ["SYNC-49"], "Of two objects with one unique value the newer claim is held, and nothing refers to it."
    ) {
      a, b in
      try clash(a, b)
      for peer in [a, b] {
        let item = try unwrap(try peer.sync.held().first { $0.object.model == "Team" })
        try expectEqual(item.reason, .unique)
        try expectEqual(item.object.key, "u")
        try expectEqual(item.values["name"], "red")
        try expectEqual(item.values["size"], 7)
        try expectEqual(item.isShown, false)
        try expectEqual(item.waitsFor.map(\.key), ["t"])
        try expectEqual(try peer.keys("Team"), ["t"])
        try expectEqual(try peer.value("Person", "p", "team"), .null)
      }
    },
    meeting("unique-freed", ["SYNC-49"], "A held object comes back when the value is free, with what refers to it.") {
      a, b in
      try clash(a, b)
      try a.set("Team", "t", "name", "green")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t", "u"])
      try expectEqual(try b.value("Person", "p", "team"), "u")
      try expectEqual(try a.held() + b.held(), [])
    },
    meeting("unique-holder-deleted", ["SYNC-49"], "A held object comes back when the holder of its value is deleted.") {
      a, b in
      try clash(a, b)
      try b.delete("Team", "t")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team"), ["u"])
      try expectEqual(try a.held(), [])
    },
    meeting("unique-corrected", ["SYNC-49"], "An insert of its key with other values replaces a held object.") { a, b in
      try clash(a, b)
      try b.insert("Team", SyncScene.team("u", "blue", size: 8))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "u", "size"), 8)
      try expectEqual(try a.held(), [])
    },
    meeting("unique-three", ["SYNC-49"], "The third of three objects with one value waits for the second.") { a, b in
      try clash(a, b)
      try b.insert("Team", SyncScene.team("v", "green"))
      try a.insert("Team", SyncScene.team("w", "green"))
      try SyncScene.expectEqual(a, b)
      try a.delete("Team", "t")
      try a.delete("Team", "v")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["u", "w"])
      try expectEqual(try b.held(), [])
    },
    meeting("unique-swapped", ["SYNC-49"], "Two stores that exchange two unique values apart agree on one answer.") {
      a, b in
      try a.insert("Team", SyncScene.team("t", "red"), SyncScene.team("u", "blue"))
      try SyncScene.expectEqual(a, b)
      for peer in [a, b] {
        try peer.store.write { tx in
          try tx.records.upsert(into: "Team", [SyncScene.team("t", "between")])
          try tx.records.upsert(into: "Team", [SyncScene.team("u", "red")])
          try tx.records.upsert(into: "Team", [SyncScene.team("t", "blue")])
        }
      }
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "t", "name"), "blue")
      try expectEqual(try a.held(), [])
    },
    meeting("unique-optional", ["SYNC-49"], "Where the unique property may be nil, the object stays, and shows nil.") {
      a, b in
      try a.insert("Person", SyncScene.person("p", "Ann", nick: "x"))
      try b.insert("Person", SyncScene.person("q", "Bea", nick: "x"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Person", "q", "nick"), .null)
      let item = try unwrap(try a.sync.held().first)
      try expectEqual(item.isShown, true)
      try expectEqual(item.values, ["nick": "x"])
      try expectError(.unsupported) { try a.sync.discard(item) }
      try a.set("Person", "p", "nick", "y")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.value("Person", "q", "nick"), "x")
    },
    meeting(
      "own-write-first", ["SYNC-49"], "A value that a held object claims can be taken, and the claim goes behind."
    ) { a, b in
      try clash(a, b)
      try a.delete("Team", "t")
      try SyncScene.expectEqual(a, b)
      try a.insert("Team", SyncScene.team("v", "gold"))
      try b.insert("Team", SyncScene.team("w", "gold"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.held(), ["unique Team w"])
      try a.set("Team", "v", "name", "red two")
      try a.insert("Team", SyncScene.team("x", "gold two"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.held(), [])
    },
    meeting("lost-edit", ["SYNC-49"], "An edit that a delete did not know is held where it was made.") { a, b in
      try a.insert("Team", SyncScene.team("t", "red", size: 1))
      try SyncScene.expectEqual(a, b)
      try a.delete("Team", "t")
      try b.set("Team", "t", "name", "blue")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), [])
      let item = try unwrap(try b.sync.held().first)
      try expectEqual(item.reason, .lostEdit)
      try expectEqual(item.values, ["name": "blue"])
      try expectEqual(try a.held(), [])
      try b.insert("Team", SyncScene.team("t", "blue"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "t", "name"), "blue")
    },
    three("lost-edit-elsewhere", ["SYNC-49"], "A lost edit is held in no store that did not make it.") { a, b, c in
      try a.insert("Team", SyncScene.team("t", "red", size: 1))
      try SyncScene.expectEqual(a, b, c)
      try a.delete("Team", "t")
      try b.set("Team", "t", "name", "blue")
      // The third store has the edit when it hears of the delete.
      try Store.replicate(b.store, c.store)
      try Store.replicate(a.store, c.store)
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try [a, b, c].map { try $0.held() }, [[], ["lostEdit Team t"], []])
    },
    three("unique-replaced", ["SYNC-49"], "An insert of its key deletes a held object, and edits of that are lost.") {
      a, b, c in
      try twoTeams(a, b)
      try Store.replicate(b.store, c.store)
      try SyncScene.expectEqual(a, b)
      try b.insert("Team", SyncScene.team("u", "blue", size: 8))
      // A store that still shows the team edits it later than that.
      try c.set("Team", "u", "size", 9)
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try a.value("Team", "u", "size"), 8)
      try expectEqual(try [a, b, c].map { try $0.held() }, [[], [], ["lostEdit Team u"]])
    },
    meeting("own-write-shown", ["SYNC-49"], "A write that frees a value and takes it is before a held claim.") { a, b in
      try twoTeams(a, b)
      try SyncScene.expectEqual(a, b)
      try a.store.write { tx in
        try tx.records.upsert(into: "Team", [SyncScene.team("t", "green")])
        try tx.records.insert(into: "Team", [SyncScene.team("v", "red")])
      }
      try expectEqual(try a.keys("Team"), ["t", "v"])
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t", "v"])
      try expectEqual(try b.held(), ["unique Team u"])
      try b.delete("Team", "v")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team"), ["t", "u"])
    },
    meeting(
      "unique-other-property", ["SYNC-49", "SYNC-47"],
      "A write for which a held object comes back leaves other properties to their later changes."
    ) { a, b in
      try twoTeams(a, b)
      try SyncScene.expectEqual(a, b)
      try b.set("Team", "t", "size", 5)
      try a.set("Team", "t", "name", "green")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team"), ["t", "u"])
      try expectEqual(try b.store.records.get(in: "Team", key: "t"), SyncScene.team("t", "green", size: 5))
    },
  ]

  private static let discarded: [ConformanceCase] = [
    meeting("discarded", ["SYNC-49"], "Discarding a held object deletes it in all stores, by an entry.") { a, b in
      try clash(a, b)
      let item = try unwrap(try a.sync.held().first { $0.object.model == "Team" })
      try a.sync.discard(item)
      try expectError(.notFound) { try a.sync.discard(item) }
      try SyncScene.expectEqual(a, b)
      try expectError(.notFound) { try b.sync.discard(item) }
      try a.set("Team", "t", "name", "green")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t"])
      try expectEqual(try b.held().filter { $0.hasPrefix("unique") }, [])
    },
    meeting("discarded-edit", ["SYNC-49"], "Discarding a lost edit concerns its store alone.") { a, b in
      try a.insert("Team", SyncScene.team("t", "red"))
      try SyncScene.expectEqual(a, b)
      try a.delete("Team", "t")
      try b.set("Team", "t", "name", "blue")
      try SyncScene.expectEqual(a, b)
      let item = try unwrap(try b.sync.held().first)
      let pending = try b.sync.status().pending
      try b.sync.discard(item)
      try expectEqual(try b.held(), [])
      try expectEqual(try b.sync.status().pending, pending)
      try expectError(.notFound) { try b.sync.discard(item) }
      try SyncScene.expectEqual(a, b)
    },
    meeting("discarded-stale", ["SYNC-49"], "An item that has changed since it was listed is not discarded.") { a, b in
      try clash(a, b)
      let item = try unwrap(try a.sync.held().first { $0.object.model == "Team" })
      try b.insert("Team", SyncScene.team("u", "blue"))
      try SyncScene.expectEqual(a, b)
      try expectError(.notFound) { try a.sync.discard(item) }
      try expectEqual(try a.keys("Team"), ["t", "u"])
    },
    three("discarded-changed", ["SYNC-49"], "An item whose values have changed since is not discarded.") { a, b, c in
      try twoTeams(a, b)
      try Store.replicate(b.store, c.store)
      try SyncScene.expectEqual(a, b)
      let item = try unwrap(try a.sync.held().first)
      // A store that still shows the team changes it.
      try c.set("Team", "u", "size", 8)
      try Store.replicate(a.store, c.store)
      try expectError(.notFound) { try a.sync.discard(item) }
      let changed = try unwrap(try a.sync.held().first)
      try expectEqual([item.values["size"], changed.values["size"]], [7, 8])
      try a.sync.discard(changed)
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try c.held(), [])
    },
  ]

  private static let status: [ConformanceCase] = [
    meeting("status", ["SYNC-50"], "The status counts entries that no peer has, held items and peers.") { a, b in
      let start = try a.sync.status()
      try expectEqual([start.pending, start.held, start.peers.count], [0, 0, 0])
      try expectEqual(start.models, SyncScene.models.map(\.name).sorted())
      for number in 0..<5 { try a.insert("Team", SyncScene.team("t\(number)", "name \(number)")) }
      try expectEqual(try a.sync.status().pending, 5)
      try expectEqual(try b.sync.status().pending, 0)
      try clash(a, b)
      let end = try a.sync.status()
      try expectEqual(end.pending, 0)
      try expectEqual(end.held, try a.sync.held().count)
      try expectEqual(end.peers.map(\.replica), [try b.sync.status().replica])
      try expectEqual(end.peers[0].lastAgreed, end.peers[0].lastMet)
      try expectEqual(end.replica, start.replica)
    },
    meeting("status-of-others", ["SYNC-50"], "Entries of others are in the log, and are not pending.") { a, b in
      for number in 0..<3 { try a.insert("Team", SyncScene.team("t\(number)", "name \(number)")) }
      let (session, messages) = try a.answer(to: b)
      try b.sync.receive(session, messages)
      // Nobody has told the store what its peer knows.
      let status = try b.sync.status()
      try expectEqual([status.entries, status.pending, status.peers.count], [3, 0, 0])
      try b.insert("Team", SyncScene.team("own", "own"))
      try expectEqual(try b.sync.status().pending, 1)
      try SyncScene.expectEqual(a, b)
    },
    SyncScene.syncing(
      "trimmed", ["SYNC-51"], "A store that comes after the log was trimmed gets records, and loses nothing."
    ) { kit in
      let clock = SyncClock()
      let (a, b, c) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      for number in 0..<6 { try a.insert("Team", SyncScene.team("t\(number)", "name \(number)")) }
      try c.insert("Team", SyncScene.team("late", "name 3"))
      try SyncScene.expectEqual(a, b)
      try a.delete("Team", "t0")
      try a.set("Team", "t1", "size", 5)
      try SyncScene.expectEqual(a, b)
      try a.sync.trim(keeping: 0)
      try expectEqual(try a.sync.status().entries, 0)
      try Store.replicate(a.store, c.store)
      try expectEqual(try c.keys("Team"), try a.keys("Team"))
      try expectEqual(try c.held(), ["unique Team late"])
      try SyncScene.expectEqual(a, b, c)
    },
    SyncScene.syncing(
      "untrimmed", ["SYNC-51"], "Entries that a peer of the last 180 days lacks stay in the log."
    ) { kit in
      let clock = SyncClock()
      let (a, b, c) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try SyncScene.expectEqual(a, b, c)
      for number in 0..<6 { try a.insert("Team", SyncScene.team("t\(number)", "name \(number)")) }
      try Store.replicate(a.store, b.store)
      try a.sync.trim(keeping: 0)
      try expectEqual(try a.sync.status().entries, 6)
      clock.advance(days: 181)
      try Store.replicate(a.store, b.store)
      try a.sync.trim(keeping: 0)
      try expectEqual(try a.sync.status().entries, 0)
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try c.keys("Team").count, 6)
    },
    SyncScene.syncing(
      "long-log", ["SYNC-51"], "The log keeps 2,000 entries, and is then trimmed to the newest 1,000.",
      without: ConformanceVariant.allButFresh, within: .seconds(120)
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      for number in 0..<2_000 { try a.insert("Team", SyncScene.team("t\(number)", "name \(number)")) }
      try Store.replicate(a.store, b.store)
      try expectEqual(try a.sync.status().entries, 2_000)
      try a.insert("Team", SyncScene.team("last", "last"))
      try Store.replicate(a.store, b.store)
      try expectEqual(try a.sync.status().entries, 1_000)
      try SyncScene.expectEqual(a, b)
    },
  ]
}
