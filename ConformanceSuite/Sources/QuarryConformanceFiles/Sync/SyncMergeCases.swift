import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// What a merge decides, who notices it, and what an exchange reports.
enum SyncMergeCases {
  static let all: [ConformanceCase] = columns + rules + notices + exchanges

  /// A case with two stores that have the same objects: two teams, and a person in the first.
  private static func meeting(
    _ name: String, _ clauses: [String], _ summary: String, without: Set<ConformanceVariant> = [],
    _ body: @escaping @Sendable (_ a: SyncPeer, _ b: SyncPeer) async throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing(name, clauses, summary, without: without) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red", size: 1), SyncScene.team("u", "blue", size: 2))
      try a.insert("Person", SyncScene.person("p", "Ann", nick: "a", team: "t"))
      try SyncScene.expectEqual(a, b)
      try await body(a, b)
    }
  }

  private static let columns: [ConformanceCase] = [
    meeting("two-properties", ["SYNC-47"], "Two stores change two properties of an object: both changes stay.") {
      a, b in
      try a.set("Team", "t", "name", "gold")
      try b.set("Team", "t", "size", 9)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.store.records.get(in: "Team", key: "t"), SyncScene.team("t", "gold", size: 9))
    },
    meeting("one-property", ["SYNC-47"], "Two stores change one property: the later change stays.") { a, b in
      try a.set("Team", "t", "name", "early")
      try b.set("Team", "t", "name", "late")
      try b.set("Team", "u", "size", 5)
      try a.set("Team", "u", "size", 6)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "t", "name"), "late")
      try expectEqual(try b.value("Team", "u", "size"), 6)
    },
    meeting("to-nil", ["SYNC-47"], "A later nil stays as a value does.") { a, b in
      try a.set("Team", "t", "size", 7)
      try b.set("Team", "t", "size", .null)
      try b.set("Team", "u", "size", .null)
      try a.set("Team", "u", "size", 8)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "t", "size"), .null)
      try expectEqual(try b.value("Team", "u", "size"), 8)
    },
    meeting("same-key", ["SYNC-47"], "Two stores insert one key: each property has its later value.") { a, b in
      try a.insert("Team", SyncScene.team("v", "mine", size: 1))
      try b.insert("Team", SyncScene.team("v", "yours", size: 2))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.store.records.get(in: "Team", key: "v"), SyncScene.team("v", "yours", size: 2))
      try a.delete("Team", "v")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t", "u"])
    },
    meeting("insert-beside-delete", ["SYNC-47"], "A delete does not remove an insert of its key that it has not seen.")
    {
      a, b in
      try a.delete("Team", "u")
      try b.delete("Team", "u")
      try b.insert("Team", SyncScene.team("u", "again"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Team", "u", "name"), "again")
    },
    meeting("after-months", ["SYNC-47", "SYNC-48"], "Stores that were apart for months merge as others do.") { a, b in
      try a.set("Team", "t", "size", 10)
      a.clock.advance(days: 200)
      try b.set("Team", "t", "name", "gold")
      try b.delete("Person", "p")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.store.records.get(in: "Team", key: "t"), SyncScene.team("t", "gold", size: 10))
      try expectEqual(try a.keys("Person"), [])
    },
  ]

  private static let rules: [ConformanceCase] = [
    meeting("nullify", ["SYNC-47", "SYNC-49"], "A reference to an object that was deleted shows nil.") { a, b in
      try a.delete("Team", "t")
      try b.insert("Person", SyncScene.person("q", "Bea", team: "t"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Person", "p", "team"), .null)
      try expectEqual(try a.value("Person", "q", "team"), .null)
    },
    meeting(
      "cascade", ["SYNC-47", "SYNC-49"], "What refers by cascade to a deleted object is held, and comes back with it."
    ) {
      a, b in
      try a.delete("Person", "p")
      try b.insert("Job", SyncScene.job("j", "cook", of: "p"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Job"), [])
      try expectEqual(try a.held(), ["parent Job j"])
      try expectEqual(try b.held(), ["parent Job j"])
      try a.insert("Person", SyncScene.person("p", "Ann again"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Job"), ["j"])
      try expectEqual(try b.held(), [])
    },
    meeting("deny", ["SYNC-47"], "Without a hub, a delete loses to a reference by deny that it did not know.") { a, b in
      try a.delete("Person", "p")
      try b.insert("Badge", SyncScene.badge("x", "blue", of: "p"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(
        try a.store.records.get(in: "Person", key: "p"), SyncScene.person("p", "Ann", nick: "a", team: "t"))
      try expectEqual(try a.keys("Badge"), ["x"])
    },
    meeting("deleted-twice", ["SYNC-47"], "An object that both stores delete is gone, with what its rules remove.") {
      a, b in
      try b.insert("Job", SyncScene.job("j", "cook", of: "p"))
      try SyncScene.expectEqual(a, b)
      try a.delete("Person", "p")
      try b.delete("Person", "p")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Job") + a.keys("Person"), [])
      try expectEqual(try a.held(), [])
    },
  ]

  private static let notices: [ConformanceCase] = [
    meeting(
      "observed", ["SYNC-47"], "Observers of a store receive what a merge changes.",
      without: [.insideTransaction]
    ) { a, b in
      let changes = b.store.changes(of: QueryTree(model: "Team", order: [.init("id")]))
      var iterator = changes.makeAsyncIterator()
      let first = try unwrap(try await iterator.next())
      try expectCount(first, 2)
      try write(a)
      try Store.replicate(a.store, b.store)
      let second = try unwrap(try await iterator.next())
      try expectCount(second, 3)
      let third = try b.sync.status().pending
      try expectNothing(third)
    },
    SyncScene.syncing(
      "in-history", ["SYNC-47"], "The history of a store has what a merge changes.", needs: [.captureRows]
    ) { kit in
      let clock = SyncClock()
      let place = try kit.makePlace()
      let store = try kit.open(program: SyncScene.models, at: place, options: HistoryScene.options())
      try store.enableSync(
        SyncScene.models.map(\.name), naturalKeys: [], SyncEnvironment(now: { clock.now() }))
      let a = try SyncPeer(kit, clock)
      try a.insert("Team", SyncScene.team("t", "red"))
      try a.insert("Person", SyncScene.person("p", "Ann", team: "t"))
      let (before, start) = (try HistoryScene.content(store), try store.history.newest)
      try Store.replicate(a.store, store)
      let after = try HistoryScene.content(store)
      var state = before
      for set in try store.history(after: start) {
        for model in set.models {
          for change in try set.changes(in: model) { state[model, default: [:]][change.key] = change.new }
        }
      }
      try expectEqual(state, after)
      try expectEqual(after["Person"]?.count, 1)
    },
  ]

  // Synchronous, because expectations take no asynchronous call.
  private static func write(_ peer: SyncPeer) throws { try peer.insert("Team", SyncScene.team("v", "gold")) }
  private static func expectNothing(_ count: Int) throws { try expectEqual(count, 0, "merged entries are not pending") }
  private static func expectCount(_ change: QueryChange<Record>, _ count: Int) throws {
    try expectEqual(change.objects.count, count)
  }

  private static let exchanges: [ConformanceCase] = [
    meeting("report", ["SYNC-48", "SYNC-50"], "An exchange reports what each store has taken, and the digests.") {
      a, b in
      try a.set("Team", "t", "size", 3)
      try a.set("Team", "t", "size", 4)
      try b.set("Team", "u", "size", 5)
      let report = try Store.replicate(a.store, b.store)
      try expectEqual([report.taken.a, report.taken.b], [1, 2])
      try expect(report.agrees && report.isEqual && report.refused == 0, "\(report)")
      try expectEqual(report.digests.a, try a.sync.digest())
      try expectEqual(report.digests.b, try b.sync.digest())
      let again = try Store.replicate(b.store, a.store)
      try expectEqual([again.taken.a, again.taken.b, again.rounds], [0, 0, 1])
    },
    meeting("digest", ["SYNC-48"], "Digests differ where one value differs, and are those of the content alone.") {
      a, b in
      let equal = try a.sync.digest()
      try expectEqual(equal, try b.sync.digest())
      try a.set("Team", "t", "size", 99)
      try expect(try a.sync.digest() != equal, "the digest of another value")
      try a.set("Team", "t", "size", 1)
      try expectEqual(try a.sync.digest(), equal)
    },
    meeting("itself", ["SYNC-48"], "A store that exchanges with itself stays as it is.") { a, _ in
      let before = try a.content()
      let report = try Store.replicate(a.store, a.store)
      try expect(report.isEqual, "\(report)")
      try expectEqual([report.taken.a, report.taken.b], [0, 0])
      try expectEqual(try a.content(), before)
      try a.expectSound()
    },
    meeting("closed", ["SYNC-48"], "An exchange with a closed store throws, and the other stays as it is.") { a, b in
      try a.set("Team", "t", "size", 3)
      let before = try a.content()
      try b.store.close()
      try expectError(.closed) { try Store.replicate(a.store, b.store) }
      try expectError(.closed) { try Store.replicate(b.store, a.store) }
      try expectEqual(try a.content(), before)
      try a.expectSound()
    },
    SyncScene.syncing("around", ["SYNC-48"], "Changes reach a store by others, whatever the order of the meetings.") {
      kit in
      let clock = SyncClock()
      let peers = try (0..<4).map { _ in try SyncPeer(kit, clock) }
      for (number, peer) in peers.enumerated() {
        try peer.insert("Team", SyncScene.team("t\(number)", "name \(number)"))
      }
      // Along a line, and back.
      for (a, b) in [(0, 1), (1, 2), (2, 3), (2, 1), (1, 0)] { try Store.replicate(peers[a].store, peers[b].store) }
      try expectEqual(Set(try peers.map { try $0.sync.digest() }).count, 1)
      try expectEqual(try peers[0].keys("Team"), ["t0", "t1", "t2", "t3"])
      try SyncScene.expectEqual(peers[0], peers[1], peers[2], peers[3])
    },
    SyncScene.syncing(
      "clock-ahead", ["SYNC-48"], "Entries of a clock that is far ahead are refused, and get new stamps later."
    ) { kit in
      let (clock, ahead) = (SyncClock(), SyncClock(1_800_000_000_000 + 40 * 86_400_000))
      let (a, b) = (try SyncPeer(kit, ahead), try SyncPeer(kit, clock))
      try b.insert("Team", SyncScene.team("u", "blue"))
      try a.insert("Team", SyncScene.team("t", "red"))
      let report = try Store.replicate(a.store, b.store)
      try expect(report.refused > 0 && !report.agrees, "\(report)")
      try expectEqual(try b.keys("Team"), ["u"])
      try expectEqual(try a.keys("Team"), ["t", "u"])
      clock.advance(days: 41)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team"), ["t", "u"])
    },
  ]
}
