import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Hubs, which take a transaction or refuse it, and their clients.
enum SyncHubCases {
  static let all: [ConformanceCase] = roles + refusals + guards

  /// A case with a hub and two clients that have its objects: two teams, and a person with a badge.
  private static func hub(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (_ hub: SyncPeer, _ a: SyncPeer, _ b: SyncPeer) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing("hub.\(name)", clauses, summary) { kit in
      let clock = SyncClock()
      let (hub, a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try hub.enable(as: .hub)
      try hub.insert("Team", SyncScene.team("t", "red", size: 1), SyncScene.team("u", "blue", size: 2))
      try hub.insert("Person", SyncScene.person("p", "Ann", team: "t"))
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      try body(hub, a, b)
    }
  }

  private static func expectEqual(_ hub: SyncPeer, _ client: SyncPeer) throws {
    let report = try Store.replicate(client.store, hub.store)
    try expect(report.isEqual, "the stores differ: \(report)")
    try QuarryConformanceKit.expectEqual(try client.content(), try hub.content(), "the objects of the client")
    try hub.expectSound()
    try client.expectSound()
  }

  private static func expectEqual<T: Equatable>(_ a: T, _ b: T, file: String = #fileID, line: Int = #line) throws {
    try QuarryConformanceKit.expectEqual(a, b, file: file, line: line)
  }

  private static let roles: [ConformanceCase] = [
    hub(
      "roles", ["SYNC-61", "SYNC-50"], "A store that exchanges with a hub is its client, and exchanges with it alone."
    ) {
      hub, a, b in
      try expectEqual(try hub.sync.status().role, .hub)
      try expectEqual(try a.sync.status().role, .client)
      let before = try a.content()
      try expectError(.unsupported) { try Store.replicate(a.store, b.store) }
      try expectError(.unsupported) { try hub.enable(as: .peer) }
      try expectEqual(try a.content(), before)
      try a.enable(as: .peer)
      try b.enable(as: .peer)
      try a.set("Team", "t", "size", 9)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.value("Team", "t", "size"), 9)
    },
    SyncScene.syncing("hub.two", ["SYNC-61"], "Two hubs exchange nothing, and a client has one hub.") { kit in
      let clock = SyncClock()
      let (one, two, a) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      for peer in [one, two] { try peer.enable(as: .hub) }
      try one.insert("Team", SyncScene.team("t", "red"))
      try expectError(.unsupported) { try Store.replicate(one.store, two.store) }
      try expectEqual(one, a)
      try expectError(.unsupported) { try Store.replicate(a.store, two.store) }
      // A store becomes a client by meeting a hub.
      let peer = try SyncPeer(kit, clock)
      try expectError(.unsupported) { try peer.enable(as: .client) }
      try expectEqual(try two.keys("Team"), [])
      try expectEqual(one, a)
    },
    SyncScene.syncing(
      "hub.reopened", ["SYNC-61", "SYNC-63"], "Roles and refused items are there after reopening.",
      requiresPersistence: true
    ) { kit in
      let clock = SyncClock()
      let environment = SyncEnvironment(now: { clock.now() })
      let names = SyncScene.models.map(\.name)
      let places = [try kit.makePlace(), try kit.makePlace()]
      func opened(_ place: any BackendProvider, _ models: [String], as role: SyncRole?) throws -> Store {
        let store = try kit.open(program: SyncScene.models, at: place)
        try store.enableSync(models, naturalKeys: [], as: role, environment)
        return store
      }
      var hub = try opened(places[0], names, as: .hub)
      var client = try opened(places[1], names, as: nil)
      try hub.records.insert(into: "Team", [SyncScene.team("t", "red")])
      try Store.replicate(client, hub)
      try hub.records.insert(into: "Team", [SyncScene.team("u", "blue")])
      try client.records.upsert(into: "Team", [SyncScene.team("t", "blue")], updating: ["name"])
      try Store.replicate(client, hub)
      let held = try unwrap(client.sync).held()
      try expectEqual(held.map(\.reason), [.refused])
      try client.close()
      try hub.close()
      hub = try opened(places[0], [], as: nil)
      client = try opened(places[1], [], as: nil)
      try expectEqual(try unwrap(hub.sync).status().role, .hub)
      try expectEqual(try unwrap(client.sync).status().role, .client)
      try expectEqual(try unwrap(client.sync).held(), held)
      try expect(try Store.replicate(client, hub).isEqual)
    },
  ]

  private static let refusals: [ConformanceCase] = [
    hub("unique", ["SYNC-62", "SYNC-63"], "A transaction that takes a visible unique value is refused as a whole.") {
      hub, a, b in
      try a.set("Team", "t", "name", "gold")
      try b.store.write { tx in
        try tx.records.upsert(into: "Team", [SyncScene.team("u", "gold")], updating: ["name"])
        try tx.records.insert(into: "Person", [SyncScene.person("q", "Bea", team: "u")])
      }
      try b.set("Person", "q", "nick", "bee")
      try b.set("Team", "t", "size", 7)
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      try expectEqual(hub, a)
      try expectEqual(try b.value("Team", "u", "name"), "blue")
      try expectEqual(try a.keys("Person"), ["p"])
      try expectEqual(try hub.value("Team", "t", "size"), 7)
      try expectEqual(try b.held(), ["refused Person q", "refused Team u"])
      try expectEqual(try unwrap(try b.sync.held().first { $0.object.model == "Person" }).values["nick"], "bee")
      try expectEqual(try a.held() + hub.held(), [])
      try expectEqual(try b.sync.status().pending, 0)
      let again = try Store.replicate(b.store, hub.store)
      try expectEqual([again.taken.a, again.taken.b], [0, 0])
    },
    hub("new-object", ["SYNC-62"], "A new object with a taken value is accepted, and held.") { hub, a, b in
      try a.insert("Team", SyncScene.team("v", "gold"))
      try b.insert("Team", SyncScene.team("w", "gold"))
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      try expectEqual(hub, a)
      try expectEqual(try a.keys("Team"), ["t", "u", "v"])
      try expectEqual(try a.held(), ["unique Team w"])
      try expectEqual(try b.held(), ["unique Team w"])
      try a.set("Team", "v", "name", "free")
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      try expectEqual(try b.keys("Team"), ["t", "u", "v", "w"])
    },
    hub("denied-delete", ["SYNC-62", "SYNC-63"], "A delete of what a visible object refers to by deny is refused.") {
      hub, a, b in
      try a.insert("Badge", SyncScene.badge("x", "blue", of: "p"))
      try b.delete("Person", "p")
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      try expectEqual(try b.keys("Person"), ["p"])
      let item = try unwrap(try b.sync.held().first)
      try expectEqual(item.isDeletion, true)
      try expectError(.referenced) { try b.sync.accept(item) }
      try b.delete("Badge", "x")
      try b.sync.accept(item)
      try expectEqual(hub, b)
      try expectEqual(try hub.keys("Person"), [])
    },
    hub(
      "program", ["SYNC-62", "SYNC-63"],
      "The hub's program refuses a transaction, and its words are with the held items."
    ) {
      hub, a, _ in
      try hub.sync.authorize { change, _ in
        change.objects.contains { $0.model == "Team" } ? .refuse("teams are closed") : .accept
      }
      try a.store.write { tx in
        try tx.records.upsert(into: "Team", [SyncScene.team("t", "gold")], updating: ["name"])
        try tx.records.insert(into: "Person", [SyncScene.person("q", "Bea")])
      }
      try a.insert("Person", SyncScene.person("r", "Cid"))
      try expectEqual(hub, a)
      try expectEqual(try hub.keys("Person"), ["p", "r"])
      try expectEqual(try hub.value("Team", "t", "name"), "red")
      try expectEqual(try a.sync.held().map(\.message), ["teams are closed", "teams are closed"])
    },
    hub("items", ["SYNC-64"], "Refused items are accepted, edited and discarded, once each.") { hub, a, b in
      try a.set("Team", "t", "name", "gold")
      try b.store.write { tx in
        try tx.records.upsert(into: "Team", [SyncScene.team("u", "gold")], updating: ["name"])
        try tx.records.insert(into: "Person", [SyncScene.person("q", "Bea"), SyncScene.person("r", "Cid")])
      }
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      let items = try b.sync.held()
      try expectEqual(items.count, 3)
      let people = items.filter { $0.object.model == "Person" }
      let team = try unwrap(items.first { $0.object.model == "Team" })
      try b.sync.accept(people[0])
      try b.sync.edit(people[1], ["name": "Dan"])
      try expectError(.uniqueViolation) { try b.sync.accept(team) }
      try expectEqual(try b.sync.held(), [team])
      try expectError(.notFound) { try b.sync.accept(people[0]) }
      try b.sync.discard(team)
      try expectError(.notFound) { try b.sync.discard(team) }
      try expectError(.notFound) { try b.sync.accept(team) }
      try expectEqual(hub, b)
      try expectEqual(try hub.value("Person", "r", "name"), "Dan")
      try expectEqual(try hub.value("Person", "q", "name"), "Bea")
    },
  ]

  private static let guards: [ConformanceCase] = [
    hub(
      "mass-deletes", ["SYNC-66"], "Deletes of half of a model and more than 100 objects stop until they are allowed."
    ) {
      hub, a, _ in
      try hub.store.records.insert(into: "Person", (0..<239).map { SyncScene.person("x\($0)", "name") })
      try expectEqual(hub, a)
      try a.store.records.delete(in: "Person", keys: (0..<120).map { .string("x\($0)") })
      let before = try hub.content()
      try expectError(.limitExceeded) { try Store.replicate(a.store, hub.store) }
      try expectError(.limitExceeded) { try Store.replicate(a.store, hub.store, allowingDeletes: 119) }
      try expectEqual(try hub.content(), before)
      try hub.expectSound()
      try expect(try Store.replicate(a.store, hub.store, allowingDeletes: 120).isEqual)
      try expectEqual(try hub.keys("Person").count, 120)
      // A hundred go without asking.
      try a.store.records.delete(in: "Person", keys: (120..<220).map { .string("x\($0)") })
      try expectEqual(hub, a)
    },
    hub("renamed", ["SYNC-65"], "A hub that says that it was put back goes on under a new identity.") { hub, a, b in
      let name = try hub.sync.status().replica
      try hub.sync.restored()
      try expect(try hub.sync.status().replica != name, "the hub's name")
      try a.set("Team", "t", "size", 5)
      try expectEqual(hub, a)
      try expectEqual(hub, b)
      try expectEqual(try b.value("Team", "t", "size"), 5)
      try expectEqual(try b.sync.status().role, .client)
    },
  ]
}
