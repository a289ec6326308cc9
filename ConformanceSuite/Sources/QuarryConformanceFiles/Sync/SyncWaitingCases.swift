import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// What is held with an object that others need, and objects with several unique values.
enum SyncWaitingCases {
  static let all: [ConformanceCase] = needed + seats

  /// A player is of a team and goes with it, and a trophy keeps its player.
  private static let clubs = [
    SyncScene.team,
    ModelSchema(
      name: "Player",
      properties: [
        PropertySchema(name: "id", type: .string),
        PropertySchema(name: "team", type: .string, reference: .init(to: "Team", deleteRule: .cascade)),
      ], primaryKey: 0, indexes: [IndexSchema(name: "Player_team", columns: [.init(slot: 1)])]),
    ModelSchema(
      name: "Trophy",
      properties: [
        PropertySchema(name: "id", type: .string),
        PropertySchema(name: "player", type: .string, reference: .init(to: "Player", deleteRule: .deny)),
      ], primaryKey: 0, indexes: [IndexSchema(name: "Trophy_player", columns: [.init(slot: 1)])]),
  ]

  /// The name of a seat is required. Its code may be nil, and so may both parts of its place.
  private static let seat = ModelSchema(
    name: "Seat",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "code", type: .int64, isOptional: true),
      PropertySchema(name: "row", type: .int64, isOptional: true),
      PropertySchema(name: "place", type: .int64, isOptional: true),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "Seat_name", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "Seat_code", columns: [.init(slot: 2)], isUnique: true),
      IndexSchema(name: "Seat_place", columns: [.init(slot: 3), .init(slot: 4)], isUnique: true),
    ])

  private static func player(_ id: String, of team: String) -> Record {
    Record([("id", .string(id)), ("team", .string(team))])
  }

  private static func trophy(_ id: String, of player: String) -> Record {
    Record([("id", .string(id)), ("player", .string(player))])
  }

  private static func seat(
    _ id: String, _ name: String, code: Value = .null, row: Value = .null, place: Value = .null
  ) -> Record {
    Record([("id", .string(id)), ("name", .string(name)), ("code", code), ("row", row), ("place", place)])
  }

  private static func meeting(
    _ name: String, _ summary: String, _ models: [ModelSchema], needs: Set<Capability> = [],
    _ body: @escaping @Sendable (SyncPeer, SyncPeer, SyncPeer) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing(name, ["SYNC-49", "SYNC-47"], summary, needs: needs) { kit in
      let clock = SyncClock()
      func peer() throws -> SyncPeer { try SyncPeer(kit, clock, models: models) }
      try body(try peer(), try peer(), try peer())
    }
  }

  private static let needed: [ConformanceCase] = [
    meeting(
      "held-with-all", "What needs a held object is held with it, also by a third one, and comes back with it.", clubs
    ) {
      a, b, _ in
      try a.insert("Team", SyncScene.team("t", "red"))
      try b.insert("Team", SyncScene.team("u", "red"))
      try b.insert("Player", player("p", of: "u"))
      try b.insert("Trophy", trophy("x", of: "p"))
      try SyncScene.expectEqual(a, b)
      for peer in [a, b] {
        try expectEqual(try peer.keys("Team") + peer.keys("Player") + peer.keys("Trophy"), ["t"])
        try expectEqual(try peer.held(), ["parent Player p", "parent Trophy x", "unique Team u"])
      }
      let item = try unwrap(try a.sync.held().first { $0.object.model == "Trophy" })
      try expectEqual(Set(item.waitsFor.map(\.key)), ["p", "u"])
      try a.set("Team", "t", "name", "green")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.keys("Team") + b.keys("Player") + b.keys("Trophy"), ["t", "u", "p", "x"])
      try expectEqual(try b.held(), [])
    },
    meeting("missing-with-all", "What needs an object that was deleted is held, also by a third one.", clubs) {
      a, b, _ in
      try a.insert("Team", SyncScene.team("t", "red"))
      try SyncScene.expectEqual(a, b)
      try a.delete("Team", "t")
      try b.insert("Player", player("p", of: "t"))
      try b.insert("Trophy", trophy("x", of: "p"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.held(), ["parent Player p", "parent Trophy x"])
      try b.insert("Team", SyncScene.team("t", "again"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team") + a.keys("Player") + a.keys("Trophy"), ["t", "p", "x"])
    },
    meeting("denied-with-all", "An object that comes back because another refers to it has all that it needs.", clubs) {
      a, b, _ in
      try a.insert("Team", SyncScene.team("t", "red", size: 3))
      try a.insert("Player", player("p", of: "t"), player("q", of: "t"))
      try SyncScene.expectEqual(a, b)
      // The players go with their team.
      try a.delete("Team", "t")
      try b.insert("Trophy", trophy("x", of: "p"))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team") + a.keys("Player") + a.keys("Trophy"), ["t", "p", "x"])
      try expectEqual(try b.value("Team", "t", "size"), 3)
      try expectEqual(try a.held() + b.held(), [])
    },
  ]

  private static let seats: [ConformanceCase] = [
    meeting(
      "held-values-are-free", "An object that is held for one unique value keeps no other one.", [seat],
      needs: [.indexCompound]
    ) {
      a, b, c in
      try a.insert("Seat", seat("s", "window", code: 1))
      try b.insert("Seat", seat("t", "window", code: 2))
      try c.insert("Seat", seat("u", "aisle", code: 2))
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try a.keys("Seat"), ["s", "u"])
      try expectEqual(try b.value("Seat", "u", "code"), 2)
      try expectEqual(try a.held(), ["unique Seat t"])
      try a.set("Seat", "s", "name", "middle")
      try SyncScene.expectEqual(a, b, c)
      // It comes back without what another one shows now.
      try expectEqual(try ["s", "t", "u"].map { try c.value("Seat", $0, "code") }, [1, .null, 2])
    },
    meeting(
      "optional-beside-required", "An object that loses an optional value alone stays.", [seat], needs: [.indexCompound]
    ) { a, b, c in
      try a.insert("Seat", seat("s", "window", code: 1, row: 4, place: 5))
      try b.insert("Seat", seat("t", "aisle", code: 1))
      try b.insert("Seat", seat("u", "middle", code: 2, row: 4, place: 5))
      try c.insert("Seat", seat("v", "stairs", code: 1))
      try SyncScene.expectEqual(a, b, c)
      try expectEqual(try b.store.records.get(in: "Seat", key: "t"), seat("t", "aisle"))
      try expectEqual(try b.store.records.get(in: "Seat", key: "u"), seat("u", "middle", code: 2, row: 4))
      let items = try a.sync.held()
      try expectEqual(items.map(\.isShown), [true, true, true])
      // All wait for the object that has the value, and not for each other.
      try expectEqual(items.map { $0.waitsFor.map(\.key) }, [["s"], ["s"], ["s"]])
      try a.delete("Seat", "s")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.value("Seat", "t", "code"), 1)
      try expectEqual(try a.value("Seat", "u", "place"), 5)
    },
    meeting(
      "nil-is-no-claim", "Objects with nil in a unique index are not in each other's way.", [seat],
      needs: [.indexCompound]
    ) {
      a, b, _ in
      try a.insert("Seat", seat("s", "window", place: 5), seat("v", "door", row: 4))
      try b.insert("Seat", seat("t", "aisle", place: 5), seat("w", "stairs", row: 4))
      try SyncScene.expectEqual(a, b)
      try expectEqual(try ["s", "t"].map { try a.value("Seat", $0, "place") }, [5, 5])
      try expectEqual(try ["v", "w"].map { try b.value("Seat", $0, "row") }, [4, 4])
      try expectEqual(try a.held() + b.held(), [])
    },
  ]
}
