import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Clocks that differ and go back, entries that do not fit, and copies.
enum SyncStampCases {
  static let all: [ConformanceCase] = clocks + backwards + entries

  /// The time at which the clocks of these cases begin.
  private static let start: UInt64 = 1_800_000_000_000

  private static let clocks: [ConformanceCase] = [
    SyncScene.syncing(
      "clock-behind", ["SYNC-47", "SYNC-48"],
      "A write after an exchange is later than what came by it, whatever the clock says."
    ) { kit in
      // As far ahead as others take it.
      let (a, b) = (try SyncPeer(kit, SyncClock(start + 240_000)), try SyncPeer(kit, SyncClock(start)))
      try a.insert("Team", SyncScene.team("t", "red", size: 1), SyncScene.team("u", "blue", size: 1))
      try SyncScene.expectEqual(a, b)
      try a.set("Team", "u", "size", 2)
      try SyncScene.expectEqual(a, b)
      for key in ["t", "u"] { try b.set("Team", key, "size", 3) }
      try SyncScene.expectEqual(a, b)
      for peer in [a, b] { try expectEqual(try ["t", "u"].map { try peer.value("Team", $0, "size") }, [3, 3]) }
    },
    SyncScene.syncing(
      "clock-behind-records", ["SYNC-47", "SYNC-51"], "The same holds where records have come, and deletes among them."
    ) { kit in
      let clock = SyncClock(start + 240_000)
      let (a, c, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, SyncClock(start)))
      try a.insert("Team", SyncScene.team("t", "red", size: 1), SyncScene.team("u", "blue"))
      try a.delete("Team", "u")
      try a.set("Team", "t", "size", 2)
      try Store.replicate(a.store, c.store)
      try a.forgetLog()
      try SyncScene.expectEqual(a, b)
      try b.set("Team", "t", "size", 3)
      try b.insert("Team", SyncScene.team("u", "green"))
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try a.value("Team", "t", "size"), 3)
      try expectEqual(try c.value("Team", "u", "name"), "green")
    },
    SyncScene.syncing(
      "clock-goes-back", ["SYNC-47", "SYNC-48"], "Where its clock goes back, a store's later write wins."
    ) {
      kit in
      let clock = SyncClock(start)
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, SyncClock(start)))
      try a.insert("Team", SyncScene.team("t", "red", size: 1))
      try SyncScene.expectEqual(a, b)
      // Less than the 5 minutes by which clocks may differ.
      clock.goBack(days: 4.0 / 1_440)
      try a.set("Team", "t", "size", 2)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.value("Team", "t", "size"), 2)
      try a.set("Team", "t", "name", "green")
      try a.delete("Team", "t")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), [])
      try expectEqual(try a.held() + b.held(), [])
    },
    SyncScene.syncing(
      "clock-put-right", ["SYNC-48"], "Entries of a clock that was far ahead are taken when the clock is put right."
    ) { kit in
      let ahead = SyncClock(start + 40 * 86_400_000)
      let (a, b) = (try SyncPeer(kit, ahead), try SyncPeer(kit, SyncClock(start)))
      try a.insert("Team", SyncScene.team("t", "red", size: 1))
      try a.set("Team", "t", "size", 2)
      let before = try a.content()
      try expect(try Store.replicate(a.store, b.store).refused > 0)
      ahead.goBack(days: 40)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.content(), before)
      try b.set("Team", "t", "size", 3)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "t", "size"), 3)
    },
  ]

  /// The clock goes back by more than clocks may differ, behind entries that a peer has taken.
  private static let backwards: [ConformanceCase] = [
    SyncScene.syncing(
      "clock-far-back", ["SYNC-47", "SYNC-48"], "A store whose clock goes back by days loses no later write of its own."
    ) { kit in
      let clock = SyncClock(start)
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, SyncClock(start)))
      try a.insert("Team", SyncScene.team("t", "red", size: 1))
      try SyncScene.expectEqual(a, b)
      clock.goBack(days: 3)
      try a.set("Team", "t", "size", 2)
      try Store.replicate(a.store, b.store)
      clock.advance(days: 3)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.value("Team", "t", "size"), 2)
    },
    SyncScene.syncing(
      "clock-far-back-after-others", ["SYNC-47", "SYNC-48"],
      "A store whose clock goes back by days writes later than what came from others."
    ) { kit in
      let clock = SyncClock(start)
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, SyncClock(start)))
      try b.insert("Team", SyncScene.team("t", "red", size: 1))
      try SyncScene.expectEqual(a, b)
      clock.goBack(days: 3)
      try Store.replicate(a.store, b.store)
      try a.set("Team", "t", "size", 2)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.value("Team", "t", "size"), 2)
    },
    SyncScene.syncing(
      "clock-far-back-counter", ["SYNC-47", "SYNC-48"],
      "A store whose clock goes back by days counts nothing twice, in no store."
    ) { kit in
      let (clock, other) = (SyncClock(start), SyncClock(start))
      let model = ModelSchema(
        name: "Tally",
        properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "count", type: .int64)],
        primaryKey: 0)
      let rules = [SyncDeclaration(model: "Tally", isSynced: true, merges: ["count": .counter])]
      let stores = try (0..<2).map { _ in try kit.open(program: [model], at: kit.makePlace()) }
      try stores[0].enableSync([], declaring: rules, SyncEnvironment(now: { clock.now() }))
      try stores[1].enableSync([], declaring: rules, SyncEnvironment(now: { other.now() }))
      try stores[0].records.insert(into: "Tally", [Record([("id", "t"), ("count", 1)])])
      try stores[0].records.upsert(into: "Tally", [Record([("id", "t"), ("count", 5)])], updating: ["count"])
      func counts() throws -> [Value?] { try stores.map { try $0.records.get(in: "Tally", key: "t")?["count"] } }
      for days in [0.0, -3, 3] {
        if days < 0 { clock.goBack(days: -days) } else { clock.advance(days: days) }
        try expect(try Store.replicate(stores[0], stores[1]).isEqual)
        try expectEqual(try counts(), [5, 5], "\(days) days on")
      }
    },
  ]

  private static let entries: [ConformanceCase] = [
    SyncScene.syncing(
      "behind-refused", ["SYNC-48"], "A store takes no entry behind one that does not fit, of any origin."
    ) { kit in
      let clock = SyncClock()
      let (a, b, c) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      try a.set("Team", "t", "size", 1)
      try Store.replicate(a.store, c.store)
      // Its author has seen the others.
      try c.insert("Team", SyncScene.team("u", "blue"))
      try Store.replicate(a.store, c.store)
      let (session, messages) = try a.answer(to: b)
      try expectEqual(messages.count, 4)
      let torn = [messages[0], messages[2], messages[3]].enumerated().map { place, numbered in
        NumberedMessage(UInt32(place), numbered.message)
      }
      try expectEqual(try b.sync.receive(session, torn), 2)
      try expectEqual(try b.keys("Team"), [])
      try b.expectSound()
      try b.sync.receive(session, messages)
      try expectEqual(try b.keys("Team"), ["t", "u"])
      try SyncScene.expectEqual(a, b, c)
    },
    SyncScene.syncing(
      "unread-entry", ["SYNC-47", "SYNC-48"],
      "An entry that could not be read is asked for again, and edits that came first are kept."
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red", size: 1), SyncScene.team("u", "blue"))
      try a.set("Team", "t", "size", 2)
      try a.delete("Team", "u")
      var (session, messages) = try a.answer(to: b)
      guard case .log(var entry) = messages[1].message else { throw Abandoned() }
      (entry.changes, entry.isHollow) = ([], true)
      messages[1].message = .log(entry)
      try b.sync.receive(session, messages)
      try expectEqual(try b.keys("Team"), [])
      try b.expectSound()
      (session, messages) = try a.answer(to: b)
      try b.sync.receive(session, messages)
      try expectEqual(try b.keys("Team"), ["t"])
      try expectEqual(try b.value("Team", "t", "size"), 2)
      try SyncScene.expectEqual(a, b)
    },
    SyncScene.syncing(
      "inside-one", ["SYNC-48"], "An exchange inside a write of one of the stores changes neither."
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      try b.insert("Team", SyncScene.team("u", "blue"))
      let (content, status) = (try b.content(), try b.sync.status())
      try a.store.write { tx in
        try tx.records.insert(into: "Team", [SyncScene.team("v", "gold")])
        for (one, other) in [(a, b), (b, a)] {
          try expectError(.reentrant) { try Store.replicate(one.store, other.store) }
        }
      }
      try expectEqual(try b.content(), content)
      try expectEqual(try b.sync.status(), status)
      try expectEqual(try a.keys("Team"), ["t", "v"])
      try SyncScene.expectEqual(a, b)
    },
    SyncScene.syncing(
      "changed-schema", ["SYNC-46"],
      "When another program has changed the schema, synced models are not written until sync is continued.",
      needs: [.multipleProcesses, .schemaCreateIndex], requiresPersistence: true
    ) { kit in
      let clock = SyncClock()
      let place = try kit.makePlace()
      let (a, b) = (try SyncPeer(kit, clock, at: place), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      try b.insert("Team", SyncScene.team("u", "blue"))
      var team = SyncScene.team
      team.indexes.append(IndexSchema(name: "Team_size", columns: [.init(slot: 2)]))
      let other = try kit.open(program: [team] + SyncScene.models.dropFirst(), at: place)
      let before = try a.content()
      try expectError(.unsupported) { try a.insert("Team", SyncScene.team("v", "gold")) }
      try expectError(.unsupported) { try a.set("Team", "t", "size", 2) }
      try expectError(.unsupported) { try a.delete("Team", "t") }
      try expectError(.unsupported) { try Store.replicate(a.store, b.store) }
      try expectEqual(try a.content(), before)
      try a.enable()
      try a.insert("Team", SyncScene.team("v", "gold"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t", "u", "v"])
      try expectEqual(try other.records.fetch(in: "Team").count, 3)
    },
    SyncScene.syncing(
      "changed-schema-here", ["SYNC-46"], "A write of a synced store that changes its schema is refused, and says why.",
      needs: [.schemaCreateIndex]
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      let error = try expectError(.unsupported) {
        try a.store.write { tx in
          let id = try tx.model(named: "Team").id
          try tx.apply(.createIndex(id, IndexSchema(name: "Team_size", columns: [.init(slot: 2)])))
        }
      }
      try expect(error.message.contains("schema"), error.message)
      try a.insert("Team", SyncScene.team("v", "gold"))
      try SyncScene.expectEqual(a, b)
    },
    SyncScene.syncing(
      "copied-and-named", ["SYNC-52", "SYNC-48"],
      "What a copy wrote before it took a name of its own reaches other stores.",
      needs: [.schemaDropModel, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      try SyncScene.expectEqual(a, b)
      let place = try kit.makePlace()
      try a.store.copy(to: place)
      let copied = try SyncPeer(kit, clock, at: place)
      try copied.insert("Team", SyncScene.team("u", "blue"))
      try copied.sync.restored()
      try copied.insert("Team", SyncScene.team("w", "gold"))
      // The original goes on under the name that both had.
      try a.insert("Team", SyncScene.team("v", "green"))
      try SyncScene.expectEqual(a, b)
      try SyncScene.expectEqual(copied, b)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team"), ["t", "u", "v", "w"])
    },
  ]
}
