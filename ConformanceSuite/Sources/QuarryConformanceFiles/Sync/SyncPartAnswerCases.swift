import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import QuarrySync

/// How the part of a hub comes to a client, and which stores give and have parts.
enum SyncPartAnswerCases {
  static let all: [ConformanceCase] = answers + roles

  private typealias Scene = SyncPartScene

  private static let answers: [ConformanceCase] = [
    Scene.part("pieces", ["SYNC-81"], "A part comes in answers of bounded size, while the hub goes on.") { scene in
      let (hub, client) = (scene.hub, scene.client)
      let keys = (10..<40).map { "p\($0)" }
      try hub.store.records.insert(into: "Person", keys.map { SyncScene.person($0, "blue") })
      try client.insert("Person", SyncScene.person("own", "blue"))
      try client.sync.follow(hub.sync.hello())
      let terms = SyncTerms(principal: Scene.principal("blue"))
      var rounds = 0
      var hasMore = true
      var late: [NumberedMessage] = []
      while hasMore, rounds < 60 {
        let hello = try client.sync.hello()
        let part = try hub.sync.part(for: hello, bytes: 600, terms)
        let messages = try StoreSync.messages(of: part.bytes, isAnswer: true)
        // A part of the answer alone, an earlier one again, and then all of it.
        try client.sync.receive(hello.session, Array(messages.prefix(3)))
        try client.sync.receive(hello.session, late)
        try client.sync.receive(hello.session, messages)
        try client.expectSound()
        late = messages
        hasMore = part.hasMore
        rounds += 1
        // An object that has come changes, another one leaves, and one comes behind all.
        if rounds == 1 {
          try hub.set("Person", "p10", "nick", "annie")
          try hub.set("Person", "p11", "name", "gold")
          try hub.delete("Person", "p12")
          try hub.insert("Person", SyncScene.person("z", "blue"))
        }
      }
      try expect(rounds > 2, "\(rounds) answers")
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["own", "p10"] + keys.dropFirst(3) + ["z"])
      try expectEqual(try client.value("Person", "p10", "nick"), "annie")
    },
    Scene.part("late", ["SYNC-81"], "An answer to an earlier question, or to another session, changes nothing.") {
      scene in
      let (hub, client) = (scene.hub, scene.client)
      try scene.insert("blue", "p", "q")
      let first = try scene.answer()
      try client.sync.receive(first.session &+ 1, first.messages)
      try expectEqual(try client.keys("Person"), [])
      try scene.meet()
      try hub.set("Person", "p", "nick", "annie")
      try hub.set("Person", "q", "name", "gold")
      let second = try scene.answer()
      try client.sync.receive(second.session &+ 1, second.messages)
      try expectEqual(try client.value("Person", "p", "nick"), .null)
      try expectEqual(try client.keys("Person"), ["p", "q"])
      try hub.set("Person", "p", "nick", "bea")
      try scene.meet()
      for late in [first, second] { try client.sync.receive(late.session, late.messages) }
      try expectEqual(try client.value("Person", "p", "nick"), "bea")
      try expectEqual(try client.keys("Person"), ["p"])
      try scene.meet()
    },
    Scene.part("unsent", ["SYNC-82"], "What a client has not sent yet stays on top of what its hub says.") { scene in
      let (hub, client) = (scene.hub, scene.client)
      try hub.insert("Person", SyncScene.person("p", "blue"), SyncScene.person("q", "blue"))
      try hub.insert("Job", SyncScene.job("j", "blue", of: "p"))
      try scene.meet()
      try client.set("Person", "p", "nick", "annie")
      try client.delete("Person", "q")
      try client.insert("Job", SyncScene.job("k", "blue", of: "p"))
      try hub.set("Job", "j", "title", "gold")
      try hub.set("Person", "q", "nick", "bea")
      let (session, messages) = try scene.answer()
      try client.sync.receive(session, messages)
      try expectEqual(try client.value("Person", "p", "nick"), "annie")
      try expectEqual(try client.keys("Person") + client.keys("Job"), ["p", "k"])
      try scene.meet()
      try expectEqual(try hub.value("Person", "p", "nick"), "annie")
      try expectEqual(try hub.keys("Person") + hub.keys("Job"), ["p", "j", "k"])
    },
    Scene.part("as-a-whole", ["SYNC-81"], "A client whose principal has another query receives its part as a whole.") {
      scene in
      let (hub, client) = (scene.hub, scene.client)
      try scene.insert("blue", "p", "q")
      try scene.insert("gold", "r", "s")
      try scene.meet()
      try client.set("Person", "q", "nick", "annie")
      var parts = SyncParts()
      parts.part(named: "Person") { _ in
        QueryTree(model: "Person", predicate: .compare(.named("id"), .greater, .value("q")))
      }
      try hub.sync.declare(parts)
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["r", "s"])
      try expectEqual(try hub.value("Person", "q", "nick"), "annie")
      // Another principal, whose query is the first one again.
      try Scene.declare(hub)
      try scene.meet("gold")
      try expectEqual(try client.keys("Person"), ["r", "s"])
      try scene.meet("blue")
      try expectEqual(try client.keys("Person"), ["p", "q"])
    },
    Scene.part("renamed-hub", ["SYNC-81"], "After restored() a hub gives each part as a whole.") { scene in
      let (hub, client) = (scene.hub, scene.client)
      try scene.insert("blue", "p", "q")
      try scene.meet()
      try hub.set("Person", "p", "name", "gold")
      try hub.sync.restored()
      try client.set("Person", "q", "nick", "annie")
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["q"])
      try expectEqual(try hub.value("Person", "q", "nick"), "annie")
      try expectEqual(try hub.keys("Person"), ["p", "q"])
    },
  ]

  private static let roles: [ConformanceCase] = [
    Scene.part("stays", ["SYNC-84"], "A store with a part stays one, and receives all objects without a principal.") {
      scene in
      let (hub, client) = (scene.hub, scene.client)
      try scene.insert("blue", "p")
      try scene.insert("gold", "q")
      try scene.meet()
      for role in [SyncRole.peer, .hub] { try expectError(.unsupported) { try client.enable(as: role) } }
      try expectEqual(try client.sync.status().role, .client)
      try expect(try Store.replicate(client.store, hub.store).isEqual)
      try expectEqual(try client.content(), try hub.content())
      try expectError(.unsupported) { try client.enable(as: .peer) }
      try scene.meet()
      try expectEqual(try client.keys("Person"), ["p"])
    },
    Scene.part("first-declared", ["SYNC-80"], "A client that had everything keeps its part alone.") { scene in
      let (hub, client) = (try SyncPeer(scene.kit, scene.clock), scene.client)
      try hub.enable(as: .hub)
      try hub.insert("Person", SyncScene.person("p", "blue"), SyncScene.person("q", "gold"))
      try expect(try Store.replicate(client.store, hub.store, as: Scene.principal("blue")).isEqual)
      try expectEqual(try client.keys("Person"), ["p", "q"])
      try Scene.declare(hub)
      try expect(try Store.replicate(client.store, hub.store, as: Scene.principal("blue")).isEqual)
      try expectEqual(try client.keys("Person"), ["p"])
      try client.expectSound()
      try expectEqual(try client.sync.status().entries, 0, "entries of what is not in the part")
    },
    Scene.part(
      "unsupported", ["SYNC-80"],
      "A query with a limit, an offset or a condition on other objects is no part, and a peer has none."
    ) { scene in
      try scene.insert("blue", "p")
      let outside = PropertyPath("team", members: ["name"])
      for tree in [
        QueryTree(model: "Person", limit: 1), QueryTree(model: "Person", offset: 1),
        QueryTree(model: "Person", predicate: .compare(.property(outside), .equal, .value("red"))),
      ] {
        var parts = SyncParts()
        parts.part(named: "Person") { _ in tree }
        try scene.hub.sync.declare(parts)
        try expectError(.unsupported) { try scene.replicate() }
        try expectEqual(try scene.client.keys("Person"), [])
      }
      let peer = try SyncPeer(scene.kit, scene.clock)
      try expectError(.unsupported) { try Scene.declare(peer) }
      try Scene.declare(scene.hub)
      try scene.meet()
    },
    SyncScene.syncing(
      "part.reopened", ["SYNC-80", "SYNC-81"],
      "Reopened, a hub refuses principals until its program declares their parts, and goes on where it was.",
      requiresPersistence: true
    ) { kit in
      let clock = SyncClock()
      let places = [try kit.makePlace(), try kit.makePlace()]
      var (hub, client) = (try SyncPeer(kit, clock, at: places[0]), try SyncPeer(kit, clock, at: places[1]))
      func replicate() throws -> ReplicationReport {
        try Store.replicate(client.store, hub.store, as: Scene.principal("blue"))
      }
      try hub.enable(as: .hub)
      try Scene.declare(hub)
      try hub.insert("Person", SyncScene.person("p", "blue"), SyncScene.person("q", "blue"))
      try expect(try replicate().isEqual)
      try hub.set("Person", "p", "nick", "annie")
      for peer in [hub, client] { try peer.store.close() }
      (hub, client) = (try SyncPeer(kit, clock, at: places[0]), try SyncPeer(kit, clock, at: places[1]))
      try expectError(.unsupported) { _ = try replicate() }
      try expectEqual(try client.value("Person", "p", "nick"), .null)
      try Scene.declare(hub)
      let report = try replicate()
      try expect(report.isEqual, "\(report)")
      // It is not given as a whole again.
      try expectEqual(report.taken.a, 1)
      try expectEqual(try client.value("Person", "p", "nick"), "annie")
    },
    SyncScene.syncing(
      "part.hub-put-back", ["SYNC-84", "SYNC-65"],
      "A client with a part brings a hub that was put back what it has in its log.",
      needs: [.schemaDropModel, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let scene = try SyncPartScene(kit)
      let client = scene.client
      try scene.insert("blue", "p")
      try scene.meet()
      let places = [try kit.makePlace(), try kit.makePlace()]
      for place in places { try scene.hub.store.copy(to: place) }
      func putBack(_ place: any BackendProvider) throws -> SyncPeer {
        let hub = try SyncPeer(kit, scene.clock, at: place)
        try hub.sync.restored()
        try Scene.declare(hub)
        return hub
      }
      try client.set("Person", "p", "nick", "annie")
      try client.insert("Person", SyncScene.person("q", "blue"))
      try scene.meet()
      let hub = try putBack(places[0])
      try expect(try Store.replicate(client.store, hub.store, as: Scene.principal("blue")).isEqual)
      try expectEqual(try hub.keys("Person"), ["p", "q"])
      try expectEqual(try hub.value("Person", "p", "nick"), "annie")
      // What is not in the log any more is lost with its hub.
      try client.sync.trim(keeping: 0)
      let other = try putBack(places[1])
      try expectError(.unsupported) {
        try Store.replicate(client.store, other.store, as: Scene.principal("blue"))
      }
      try expectEqual(try client.keys("Person"), ["p", "q"])
    },
  ]
}
