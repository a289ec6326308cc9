import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarrySync

/// Which stores and models can be synced, and how sync goes on after an opening and a change of the schema.
enum SyncEnablingCases {
  static let all: [ConformanceCase] = enabling + refused + continued + ended

  private static let enabling: [ConformanceCase] = [
    SyncScene.syncing(
      "rows-before", ["SYNC-43", "SYNC-48"], "Objects from before the first call travel as first versions."
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock, isSynced: false), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red", size: 3))
      try a.insert("Person", SyncScene.person("p", "Ann", nick: "a", team: "t"), SyncScene.person("q", "Bea"))
      try a.insert("Job", SyncScene.job("j", "cook", of: "p"))
      let before = try a.content()
      try a.enable(SyncScene.models.map(\.name))
      try expectEqual(try a.content(), before)
      try SyncScene.expectEqual(a, b)
      try expectEqual(try b.content(), before)
    },
    SyncScene.syncing(
      "same-rows-before", ["SYNC-43"], "Two stores that had equal objects before the first call have each of them once."
    ) { kit in
      let clock = SyncClock()
      let peers = try (0..<2).map { _ in try SyncPeer(kit, clock, isSynced: false) }
      for peer in peers {
        try peer.insert("Team", SyncScene.team("t", "red", size: 3))
        try peer.insert("Person", SyncScene.person("p", "Ann", team: "t"))
      }
      let before = try peers[0].content()
      for peer in peers { try peer.enable(SyncScene.models.map(\.name)) }
      try SyncScene.expectEqual(peers[0], peers[1])
      try expectEqual(try peers[1].content(), before)
      try expectEqual(try peers[0].held(), [])
    },
    SyncScene.syncing("more-models", ["SYNC-43"], "A later call adds models, with the objects that they have.") { kit in
      let clock = SyncClock()
      let models = [SyncScene.team, Self.note]
      let peers = try (0..<2).map { _ in try SyncPeer(kit, clock, models: models, isSynced: false) }
      for peer in peers { try peer.enable(["Team"]) }
      try peers[0].insert("Note", Record(["id": "n", "text": "before"]))
      try peers[0].insert("Team", SyncScene.team("t", "red"))
      try Store.replicate(peers[0].store, peers[1].store)
      try expectEqual(try peers[1].keys("Note"), [])
      for peer in peers { try peer.enable(["Note"]) }
      try expectEqual(try peers[0].sync.status().models, ["Team", "Note"])
      try SyncScene.expectEqual(peers[0], peers[1])
      try expectEqual(try peers[1].value("Note", "n", "text"), "before")
      // A call with models that are synced changes nothing.
      let status = try peers[0].sync.status()
      try peers[0].enable(["Team"])
      try expectEqual(try peers[0].sync.status(), status)
    },
    SyncScene.syncing(
      "natural-keys", ["SYNC-43"], "Integer keys are synced where the program says that the world gives them."
    ) { kit in
      let clock = SyncClock()
      let peers = try (0..<2).map { _ in try SyncPeer(kit, clock, models: [Self.numbered()], isSynced: false) }
      for peer in peers { try peer.enable(["Numbered"], natural: ["Numbered"]) }
      try peers[0].insert("Numbered", Record(["id": 1, "text": "a"]), Record(["id": -5, "text": "b"]))
      try peers[1].insert("Numbered", Record(["id": 1, "text": "c"]))
      try SyncScene.expectEqual(peers[0], peers[1])
      try expectEqual(try peers[0].store.records.get(in: "Numbered", key: 1)?["text"], "c")
      try expectEqual(try peers[1].store.records.fetch(in: "Numbered").count, 2)
    },
    SyncScene.syncing(
      "other-models", ["SYNC-43", "SYNC-44"], "Models that are not synced are written as before, and do not travel."
    ) { kit in
      let clock = SyncClock()
      let models = [SyncScene.team, Self.note]
      let peers = try (0..<2).map { _ in try SyncPeer(kit, clock, models: models, isSynced: false) }
      for peer in peers { try peer.enable(["Team"]) }
      let before = try peers[0].sync.status()
      try peers[0].insert("Note", Record(["id": "n", "text": "mine"]))
      try expectEqual(try peers[0].sync.status(), before)
      try peers[0].store.write { tx in
        try tx.records.insert(into: "Note", [Record(["id": "m", "text": "with a team"])])
        try tx.records.insert(into: "Team", [SyncScene.team("t", "red")])
      }
      try expectEqual(try peers[0].sync.status().pending, before.pending + 1)
      try Store.replicate(peers[0].store, peers[1].store)
      try expectEqual(try peers[1].keys("Note"), [])
      try expectEqual(try peers[1].keys("Team"), ["t"])
    },
  ]

  private static let note = ModelSchema(
    name: "Note",
    properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "text", type: .string)],
    primaryKey: 0)

  private static func numbered(_ type: PropertyType = .int64) -> ModelSchema {
    ModelSchema(
      name: "Numbered",
      properties: [PropertySchema(name: "id", type: type), PropertySchema(name: "text", type: .string)],
      primaryKey: 0)
  }

  /// A model that cannot be synced, with what is beside it and the names that are asked for.
  private static let unsyncable: [(name: String, models: [ModelSchema], asked: [String], code: StorageError.Code)] = [
    ("integer-key", [numbered()], ["Numbered"], .unsupported),
    ("double-key", [numbered(.double)], ["Numbered"], .unsupported),
    ("float-key", [numbered(.float)], ["Numbered"], .unsupported),
    (
      "double-unique",
      [
        ModelSchema(
          name: "Price",
          properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "price", type: .double)],
          primaryKey: 0, indexes: [IndexSchema(name: "Price_price", columns: [.init(slot: 1)], isUnique: true)])
      ], ["Price"], .unsupported
    ),
    ("refers-to-other", SyncScene.models, ["Job"], .unsupported),
    ("referred-to-by-other", SyncScene.models, ["Team"], .unsupported),
    ("unknown", SyncScene.models, ["Nothing"], .notFound),
    ("unknown-among-known", SyncScene.models, SyncScene.models.map(\.name) + ["Nothing"], .notFound),
    ("none", SyncScene.models, [], .notFound),
    ("own-model", SyncScene.models, ["_quarry_sync"], .notFound),
  ]

  private static let refused: [ConformanceCase] =
    unsyncable.map { entry in
      SyncScene.syncing(
        "refused.\(entry.name)", ["SYNC-43"], "What cannot be synced is refused before anything is written."
      ) { kit in
        let peer = try SyncPeer(kit, SyncClock(), models: entry.models, isSynced: false)
        let names = try peer.store.models().map(\.name)
        try expectError(entry.code) { try peer.enable(entry.asked) }
        try expect(peer.store.sync == nil, "the store is synced")
        try expectEqual(try peer.store.models().map(\.name), names)
        // It is a store like any other.
        if entry.models.contains(where: { $0.name == "Team" }) {
          try peer.insert("Team", SyncScene.team("t", "red"))
          try expectError(.notFound) { try Store.replicate(peer.store, peer.store) }
        }
        try expectEqual(try peer.store.check().map { "\($0)" }, [])
      }
    }
    + [
      SyncScene.syncing(
        "inside", ["SYNC-43", "SYNC-48"], "Sync cannot be enabled, and no store replicated, in a write."
      ) {
        kit in
        let clock = SyncClock()
        let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
        try b.insert("Team", SyncScene.team("t", "red"))
        try a.store.write { tx in
          try tx.records.insert(into: "Team", [SyncScene.team("u", "blue")])
          try expectError(.reentrant) { try a.enable() }
          try expectError(.reentrant) { try Store.replicate(a.store, b.store) }
          try expectError(.reentrant) { try Store.replicate(b.store, a.store) }
        }
        try SyncScene.expectEqual(a, b)
        try expectEqual(try a.keys("Team"), ["t", "u"])
      },
      SyncScene.syncing(
        "different-models", ["SYNC-48"], "Stores whose synced models differ exchange nothing."
      ) { kit in
        let clock = SyncClock()
        var longer = SyncScene.team
        longer.properties.append(PropertySchema(name: "motto", type: .string, isOptional: true))
        for models in [[SyncScene.team, Self.note], [longer]] {
          let (a, b) = (
            try SyncPeer(kit, clock, models: [SyncScene.team]), try SyncPeer(kit, clock, models: models)
          )
          try a.insert("Team", SyncScene.team("t", "red"))
          let before = try b.sync.status()
          try expectError(.schemaMismatch) { try Store.replicate(a.store, b.store) }
          try expectError(.schemaMismatch) { try Store.replicate(b.store, a.store) }
          try expectEqual(try b.sync.status(), before)
          try expectEqual(try b.keys("Team"), [])
        }
      },
    ]

  private static let continued: [ConformanceCase] = [
    SyncScene.syncing(
      "reopened", ["SYNC-45", "SYNC-44"], "A synced store is read, and refuses writes, until its sync is continued.",
      requiresPersistence: true
    ) { kit in
      let clock = SyncClock()
      let place = try kit.makePlace()
      func opened() throws -> Store { try kit.open(program: SyncScene.models, at: place) }
      let environment = SyncEnvironment(now: { clock.now() })
      var store = try opened()
      try store.enableSync(SyncScene.models.map(\.name), naturalKeys: [], environment)
      try store.records.insert(into: "Team", [SyncScene.team("t", "red")])
      let before = try unwrap(store.sync).status()
      try store.close()
      store = try opened()
      try expectEqual(try store.records.fetch(in: "Team").count, 1)
      try expectError(.unsupported) { try store.records.insert(into: "Team", [SyncScene.team("u", "blue")]) }
      try expectError(.unsupported) { try store.records.delete(in: "Team", keys: ["t"]) }
      try expectEqual(try store.records.fetch(in: "Team").count, 1)
      try store.enableSync([], naturalKeys: [], environment)
      try expectEqual(try unwrap(store.sync).status(), before)
      try store.records.insert(into: "Team", [SyncScene.team("u", "blue")])
      let b = try SyncPeer(kit, clock)
      try expect(try Store.replicate(store, b.store).isEqual)
      try expectEqual(try b.keys("Team"), ["t", "u"])
    },
    SyncScene.syncing(
      "read-only", ["SYNC-43"], "Sync is not enabled in a store that is opened for reading.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open(program: SyncScene.models, at: place)
      try store.records.insert(into: "Team", [SyncScene.team("t", "red")])
      try store.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let reading = try kit.open(program: SyncScene.models, at: place, options: options)
      try expectError(.readOnly) { try reading.enableSync(named: SyncScene.models.map(\.name)) }
      try expectEqual(try reading.records.fetch(in: "Team").count, 1)
    },
    SyncScene.syncing(
      "migrated", ["SYNC-46", "SYNC-45"], "What a migration has changed is recorded by the next call.",
      needs: [.schemaAddProperty], requiresPersistence: true
    ) { kit in
      let clock = SyncClock()
      let environment = SyncEnvironment(now: { clock.now() })
      var longer = SyncScene.team
      longer.properties.append(PropertySchema(name: "motto", type: .string, isOptional: true))
      var stores: [Store] = []
      let places = [try kit.makePlace(), try kit.makePlace()]
      for place in places {
        let store = try kit.open(program: [SyncScene.team], at: place)
        try store.enableSync(["Team"], naturalKeys: [], environment)
        stores.append(store)
      }
      try stores[0].records.insert(into: "Team", [SyncScene.team("t", "red")])
      try Store.replicate(stores[0], stores[1])
      for (number, place) in places.enumerated() {
        try stores[number].close()
        stores[number] = try kit.open(program: [longer], at: place)
        try expectError(.unsupported) { try stores[number].records.delete(in: "Team", keys: ["t"]) }
        try stores[number].enableSync([], naturalKeys: [], environment)
        try expectEqual(try unwrap(stores[number].sync).check(), [])
      }
      try stores[1].records.upsert(
        into: "Team", [Record([("id", "t"), ("motto", "onward")])], updating: ["motto"])
      try expect(try Store.replicate(stores[0], stores[1]).isEqual)
      try expectEqual(try stores[0].records.get(in: "Team", key: "t")?["motto"], "onward")
    },
  ]

  private static let ended: [ConformanceCase] = [
    SyncScene.syncing(
      "ended", ["SYNC-52"], "Ending sync removes records and log, and keeps all objects.", needs: [.schemaDropModel]
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"), SyncScene.team("u", "blue"))
      try SyncScene.expectEqual(a, b)
      let before = try a.content()
      try a.store.endSync()
      try expect(a.store.sync == nil, "the store is synced")
      try expectEqual(try a.content(), before)
      try expectError(.notFound) { try Store.replicate(a.store, b.store) }
      try expectError(.notFound) { try a.enable() }
      try expectError(.notFound) { try a.store.endSync() }
      try a.delete("Team", "t")
      try expectEqual(try a.store.check().map { "\($0)" }, [])
      // It joins again as a new replica, with the objects that it has.
      try a.enable(SyncScene.models.map(\.name))
      try SyncScene.expectEqual(a, b)
    },
    SyncScene.syncing("dump", ["SYNC-52"], "A dump has the objects without sync.") { kit in
      let clock = SyncClock()
      let plain = try SyncPeer(kit, clock, isSynced: false)
      let synced = try SyncPeer(kit, clock)
      for peer in [plain, synced] {
        try peer.insert("Team", SyncScene.team("t", "red"))
        try peer.insert("Person", SyncScene.person("p", "Ann", team: "t"))
        try peer.delete("Person", "p")
      }
      try expectEqual(try Self.dumped(synced.store), try Self.dumped(plain.store))
    },
    SyncScene.syncing(
      "copied", ["SYNC-52", "SYNC-48"],
      "A copy takes a new name when it meets a store that knows other entries of its name.",
      needs: [.schemaDropModel, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let clock = SyncClock()
      let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
      try a.insert("Team", SyncScene.team("t", "red"))
      try SyncScene.expectEqual(a, b)
      let place = try kit.makePlace()
      try a.store.copy(to: place)
      let store = try kit.open(program: SyncScene.models, at: place)
      try store.enableSync([], naturalKeys: [], SyncEnvironment(now: { clock.now() }))
      let name = try a.sync.status().replica
      try expectEqual(try unwrap(store.sync).status().replica, name)
      try store.records.insert(into: "Team", [SyncScene.team("u", "blue")])
      try a.insert("Team", SyncScene.team("v", "green"))
      try SyncScene.expectEqual(a, b)
      try expect(try Store.replicate(store, b.store).isEqual)
      try expect(try unwrap(store.sync).status().replica != name, "two stores of one name")
      try SyncScene.expectEqual(a, b)
      try expectEqual(try a.keys("Team"), ["t", "u", "v"])
    },
  ]

  private static func dumped(_ store: Store) throws -> String {
    var bytes: [UInt8] = []
    try store.dump { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
