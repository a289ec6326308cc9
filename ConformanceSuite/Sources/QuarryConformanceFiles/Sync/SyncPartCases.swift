import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import QuarrySync

/// Clients that receive a part of their hub.
enum SyncPartCases {
  static let all: [ConformanceCase] = chosen + moved

  private typealias Scene = SyncPartScene

  private static let chosen: [ConformanceCase] = [
    Scene.part(
      "chosen", ["SYNC-80", "SYNC-83"],
      "A client receives the objects of its queries and what they need. References that lead out of these are nil."
    ) { scene in
      let (hub, client) = (scene.hub, scene.client)
      try hub.insert("Team", SyncScene.team("t", "red"))
      try hub.insert("Person", SyncScene.person("p", "blue", team: "t"), SyncScene.person("q", "gold", nick: "x"))
      try scene.insert("gold", "r")
      try hub.insert("Job", SyncScene.job("j", "blue", of: "q"), SyncScene.job("k", "gold", of: "p"))
      try scene.meet()
      try expectEqual(try client.keys("Person") + client.keys("Job") + client.keys("Team"), ["p", "q", "j"])
      try expectEqual(try client.value("Person", "p", "team"), .null)
      try expectEqual(try client.held(), [])
      // What is nil here is not written back.
      try client.set("Person", "p", "nick", "annie")
      try scene.meet()
      try expectEqual(
        try hub.store.records.get(in: "Person", key: "p"), SyncScene.person("p", "blue", nick: "annie", team: "t"))
      // What is needed goes with the last object that needs it.
      try client.delete("Job", "j")
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["p"])
      try expectEqual(try hub.keys("Person"), ["p", "q", "r"])
      try expectEqual(try scene.answer().messages.count, 1, "messages of an answer at rest")
    },
    Scene.part("of-each", ["SYNC-80"], "Each principal receives its part, and no object of another one.") { scene in
      let other = try SyncPeer(scene.kit, scene.clock)
      try scene.insert("blue", "p")
      try scene.insert("gold", "q")
      try scene.meet()
      try scene.meet("gold", other)
      try scene.client.insert("Person", SyncScene.person("r", "blue"))
      try other.insert("Person", SyncScene.person("s", "gold"))
      try scene.meet()
      try scene.meet("gold", other)
      try scene.meet()
      try expectEqual(try scene.client.keys("Person"), ["p", "r"])
      try expectEqual(try other.keys("Person"), ["q", "s"])
      try expectEqual(try scene.hub.keys("Person"), ["p", "q", "r", "s"])
      // A new client of the one is sent no byte of the other.
      try scene.hub.set("Person", "q", "nick", "secret")
      let third = try SyncPeer(scene.kit, scene.clock)
      try third.sync.follow(scene.hub.sync.hello())
      for (color, isThere) in [("blue", false), ("gold", true)] {
        let terms = SyncTerms(principal: Scene.principal(color))
        let bytes = try scene.hub.sync.part(for: third.sync.hello(), bytes: .max, terms).bytes
        let word = Array("secret".utf8)
        try expectEqual(bytes.indices.contains { bytes[$0...].starts(with: word) }, isThere, color)
      }
    },
    Scene.part("hidden", ["SYNC-83"], "A client sees nothing of what its hub holds, and no value that its hub hides.") {
      scene in
      let (hub, client) = (scene.hub, scene.client)
      let other = try SyncPeer(scene.kit, scene.clock)
      try hub.insert("Person", SyncScene.person("p", "gold", nick: "x"))
      try hub.insert("Team", SyncScene.team("t", "red"))
      // The hub shows nil in one of them, and holds the other.
      try other.insert("Person", SyncScene.person("q", "blue", nick: "x"))
      try other.insert("Team", SyncScene.team("u", "red"))
      try Store.replicate(other.store, hub.store, as: Scene.principal("blue"))
      try scene.meet()
      try expectEqual(try client.value("Person", "q", "nick"), .null)
      try expectEqual(try client.keys("Team"), [])
      try expectEqual(try client.held(), [])
      try expectEqual(try client.sync.status().held, 0)
      try hub.set("Person", "p", "nick", "y")
      try scene.meet()
      try expectEqual(try client.value("Person", "q", "nick"), "x")
    },
    SyncScene.syncing("part.links", ["SYNC-80"], "A list has the links whose owner and target are both chosen.") {
      kit in
      let clock = SyncClock()
      func peer() throws -> SyncPeer { try SyncPeer(kit, clock, models: [club, fan, fans]) }
      let (hub, client) = (try peer(), try peer())
      try hub.enable(as: .hub)
      var parts = SyncParts()
      parts.part(named: "Club") { _ in QueryTree(model: "Club") }
      parts.part(named: "Fan") { _ in
        QueryTree(model: "Fan", predicate: .compare(.named("name"), .less, .value("c")))
      }
      try hub.sync.declare(parts)
      try hub.insert("Club", Record(["id": "one", "name": "club"]))
      for (number, name) in ["a", "b", "c"].enumerated() {
        try hub.insert("Fan", Record([("id", .string(name)), ("name", .string(name))]))
        let place = Value.int(Int64(number))
        try hub.insert(
          "Club_fans", Record([("id", place), ("owner", "one"), ("target", .string(name)), ("position", place)]))
      }
      func targets(_ peer: SyncPeer) throws -> [Value?] {
        try peer.store.records.fetch(in: "Club_fans", sortedBy: "position").map { $0["target"] }
      }
      func meet() throws {
        try expect(try Store.replicate(client.store, hub.store, as: "anna").isEqual)
        for peer in [hub, client] { try peer.expectSound() }
      }
      try meet()
      try expectEqual(try targets(client), ["a", "b"])
      // The links come and go with their objects.
      try hub.set("Fan", "c", "name", "0")
      try hub.set("Fan", "a", "name", "z")
      try meet()
      try expectEqual(try targets(client), ["b", "c"])
      try client.store.records.delete(QueryTree(model: "Club_fans"))
      try meet()
      try expectEqual(try targets(client), [])
      try expectEqual(try targets(hub), ["a"])
    },
  ]

  private static func named(_ name: String) -> ModelSchema {
    ModelSchema(
      name: name,
      properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string)],
      primaryKey: 0)
  }

  private static let (club, fan) = (named("Club"), named("Fan"))
  private static let fans = ModelSchema(
    name: "Club_fans",
    properties: [
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "owner", type: .string, reference: .init(to: "Club", deleteRule: .cascade)),
      PropertySchema(name: "target", type: .string, reference: .init(to: "Fan", deleteRule: .cascade)),
      PropertySchema(name: "position", type: .int64),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "Club_fans_owner", columns: [.init(slot: 1), .init(slot: 3)]),
      IndexSchema(name: "Club_fans_target", columns: [.init(slot: 2), .init(slot: 1)], isUnique: true),
    ])

  private static let moved: [ConformanceCase] = [
    Scene.part(
      "left", ["SYNC-82"],
      "An object that leaves the part is forgotten, and an unsent change of it reaches the hub first."
    ) { scene in
      let (hub, client) = (scene.hub, scene.client)
      try scene.insert("blue", "p", "q", "r")
      try scene.meet()
      try hub.set("Person", "p", "name", "gold")
      try client.set("Person", "p", "nick", "annie")
      try hub.delete("Person", "q")
      // The hub's word comes before the hub has the change.
      let (session, messages) = try scene.answer()
      try client.sync.receive(session, messages)
      try expectEqual(try client.keys("Person"), ["p", "r"])
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["r"])
      try expectEqual(try hub.value("Person", "p", "nick"), "annie")
      // It was not deleted: it comes back as the hub has it.
      try hub.set("Person", "p", "name", "blue")
      try scene.meet()
      try expectEqual(try client.value("Person", "p", "nick"), "annie")
      try expectEqual(try client.held() + hub.held(), [])
    },
    Scene.part("own-outside", ["SYNC-82"], "What a client writes outside its part goes to the hub, and is forgotten.") {
      scene in
      let (hub, client) = (scene.hub, scene.client)
      try scene.insert("blue", "p")
      try scene.meet()
      try client.store.write { tx in
        try tx.records.insert(into: "Team", [SyncScene.team("t", "red")])
        try tx.records.insert(
          into: "Person", [SyncScene.person("q", "gold", team: "t"), SyncScene.person("r", "blue")])
        try tx.records.upsert(into: "Person", [SyncScene.person("p", "gold")], updating: ["name"])
      }
      try scene.meet()
      try expectEqual(try client.keys("Person") + client.keys("Team"), ["r"])
      try expectEqual(try hub.keys("Person") + hub.keys("Team"), ["p", "q", "r", "t"])
      try expectEqual(try hub.value("Person", "q", "team"), "t")
      // A key that is taken outside: the hub has one object of it.
      try client.insert("Person", SyncScene.person("q", "blue"))
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["q", "r"])
      try expectEqual(try hub.value("Person", "q", "name"), "blue")
    },
    Scene.part("refused", ["SYNC-82", "SYNC-63"], "A refused transaction is held in a client with a part, too.") {
      scene in
      let (hub, client) = (scene.hub, scene.client)
      try hub.sync.authorize { change, who in
        change.objects.contains { $0.model == "Badge" } ? .refuse("no badges of \(who?.name ?? "")") : .accept
      }
      try scene.insert("blue", "p")
      try scene.meet()
      try client.store.write { tx in
        try tx.records.insert(into: "Badge", [SyncScene.badge("b", "blue", of: "p")])
        try tx.records.upsert(into: "Person", [SyncScene.person("p", "gold")], updating: ["name"])
      }
      try scene.meet()
      try expectEqual(try client.keys("Badge"), [])
      try expectEqual(try client.value("Person", "p", "name"), "blue")
      try expectEqual(try client.held(), ["refused Badge b", "refused Person p"])
      try expectEqual(try client.sync.held().first?.message, "no badges of blue")
    },
    Scene.part("many-leave", ["SYNC-82", "SYNC-66"], "What leaves a part is no delete, however much it is.") { scene in
      let keys = (0..<101).map { "p\($0)" }
      try scene.hub.store.records.insert(into: "Person", keys.map { SyncScene.person($0, "blue") })
      try scene.meet()
      try scene.hub.store.records.upsert(
        into: "Person", keys.map { Record([("id", .string($0)), ("name", "gold")]) }, updating: ["name"])
      try scene.meet()
      try expectEqual(try scene.client.keys("Person"), [])
      try scene.hub.store.records.upsert(
        into: "Person", keys.map { Record([("id", .string($0)), ("name", "blue")]) }, updating: ["name"])
      try scene.meet()
      try scene.hub.store.records.delete(in: "Person", keys: keys.map { .string($0) })
      try expectError(.limitExceeded) { try scene.replicate() }
      try expectEqual(try scene.client.keys("Person").count, 101)
      try Store.replicate(
        scene.client.store, scene.hub.store, as: Scene.principal("blue"), allowingDeletes: 101)
      try expectEqual(try scene.client.keys("Person"), [])
    },
  ]
}
