import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Each kind of write as an entry: what it changes is changed in the other store, and in both where another write met it.
enum SyncWriteCases {
  static let all: [ConformanceCase] = alone + rolledBack + met + entries

  private static let writes = HistoryScene.writes
  private static let names = ["Poet", "Poem", "Album", "Song"]

  /// Two stores with the same objects.
  private static func pair(_ kit: ConformanceContext) throws -> (a: SyncPeer, b: SyncPeer) {
    let clock = SyncClock()
    let stores = try (0..<2).map { _ in try kit.open(HistoryScene.models, at: kit.makePlace()) }
    try HistoryScene.fill(stores[0])
    let peers = try stores.map { try SyncPeer($0, clock, natural: names) }
    try SyncScene.expectEqual(peers[0], peers[1])
    return (peers[0], peers[1])
  }

  private static let alone: [ConformanceCase] = writes.map { write in
    SyncScene.syncing(
      "write.\(write.name)", ["SYNC-44", "SYNC-47", "SYNC-48"],
      "A write is one entry, after which the other store has what it has changed."
    ) { kit in
      let (a, b) = try pair(kit)
      let (before, pending) = (try b.content(), try a.sync.status().pending)
      try a.store.write { tx in try write.body(tx) }
      let after = try a.content()
      try expectEqual(try a.sync.status().pending, pending + (write.changes ? 1 : 0), "the entries of the write")
      try expectEqual(try b.content(), before, "the other store before the exchange")
      let report = try Store.replicate(a.store, b.store)
      try expect(report.isEqual, "\(report)")
      try expectEqual(report.taken.b, write.changes ? 1 : 0)
      try expectEqual(try a.content(), after, "the store of the write")
      try expectEqual(try b.content(), after, "the other store")
      try expectEqual(try b.sync.status().pending, 0, "what is merged is not the store's own")
      try a.expectSound()
      try b.expectSound()
      try expectEqual(try Store.replicate(a.store, b.store).taken.b, 0, "a second exchange")
    }
  }

  private static let rolledBack: [ConformanceCase] = writes.filter(\.changes).map { write in
    SyncScene.syncing(
      "rolled-back.\(write.name)", ["SYNC-44"], "A write that is rolled back is no entry.",
      without: [.rowByRow, .otherThread, .insideTransaction, .frozen]
    ) { kit in
      let (a, b) = try pair(kit)
      let (before, status) = (try a.content(), try a.sync.status())
      try a.store.rollingBack { tx in try write.body(tx) }
      try expectEqual(try a.sync.status(), status)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.content(), before)
    }
  }

  /// Each write beside some others, chosen so that each pair of neighbours in the list meets in one of the cases.
  private static let met: [ConformanceCase] = writes.enumerated().map { place, write in
    SyncScene.syncing(
      "met.\(write.name)", ["SYNC-47", "SYNC-48", "SYNC-49"],
      "Two stores that have written apart have the same objects when they have met, and no reference leads to nothing.",
      within: .seconds(60)
    ) { kit in
      for distance in kit.triesFew ? [[0, 3][place % 2]] : [0, 1, 3, 7, 13] {
        let other = writes[(place + distance) % writes.count]
        let (a, b) = try pair(kit)
        try a.store.write { tx in try write.body(tx) }
        try b.store.write { tx in try other.body(tx) }
        try SyncScene.expectEqual(a, b)
        try expectEqual(try a.sync.status().pending, 0, other.name)
        // Held objects are the same in both; lost edits are those of one store.
        func held(_ peer: SyncPeer) throws -> Set<String> {
          Set(try peer.held().filter { !$0.hasPrefix("lostEdit") })
        }
        try expectEqual(try held(a), try held(b), other.name)
      }
    }
  }

  private static let entries: [ConformanceCase] = [
    SyncScene.syncing("one-entry", ["SYNC-44"], "A transaction of several models is one entry, and arrives as a whole.")
    {
      kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      let pending = try a.sync.status().pending
      try a.store.write { tx in
        try tx.records.insert(into: "Team", [SyncScene.team("t", "red")])
        try tx.records.insert(into: "Person", [SyncScene.person("p", "Ann", team: "t")])
        try tx.records.insert(into: "Badge", [SyncScene.badge("x", "blue", of: "p")])
        try tx.records.upsert(into: "Team", [Record([("id", "t"), ("size", 4)])], updating: ["size"])
      }
      try expectEqual(try a.sync.status().pending, pending + 1)
      let (session, messages) = try a.answer(to: b)
      // The introduction alone, and then the entry.
      try b.sync.receive(session, Array(messages.prefix(1)))
      try expectEqual(try b.keys("Team"), [])
      try b.sync.receive(session, messages)
      try expectEqual(try b.content(), try a.content())
    },
    SyncScene.syncing(
      "thrown", ["SYNC-44"], "After a write that throws, and one that breaks a constraint, nothing is recorded."
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      try a.insert("Person", SyncScene.person("p", "Ann"))
      try a.insert("Badge", SyncScene.badge("x", "blue", of: "p"))
      let status = try a.sync.status()
      try expectAbandoned {
        try a.store.write { tx in
          try tx.records.insert(into: "Team", [SyncScene.team("u", "gold")])
          throw Abandoned()
        }
      }
      try expectError(.uniqueViolation) { try a.insert("Team", SyncScene.team("u", "red")) }
      try expectError(.duplicateKey) { try a.insert("Team", SyncScene.team("t", "blue")) }
      try expectError(.missingReference) { try a.insert("Job", SyncScene.job("j", "cook", of: "nobody")) }
      try expectError(.referenced) { try a.delete("Person", "p") }
      try expectEqual(try a.sync.status(), status)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t"])
    },
    SyncScene.syncing(
      "many-objects", ["SYNC-44", "SYNC-48", "SYNC-66"], "A write of thousands of objects is one entry.",
      without: [.rowByRow, .replayed], within: .seconds(60)
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.store.records.insert(into: "Team", (0..<3_000).map { SyncScene.team("t\($0)", "name \($0)") })
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team").count, 3_000)
      try a.store.records.delete(QueryTree(model: "Team"))
      try expectError(.limitExceeded) { try Store.replicate(a.store, b.store) }
      try expectEqual(try b.keys("Team").count, 3_000)
      try Store.replicate(a.store, b.store, allowingDeletes: 3_000)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team").count, 0)
    },
  ]
}
