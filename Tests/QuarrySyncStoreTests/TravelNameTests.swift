import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Models and properties that have other names in one of two stores: SYNC-31, SYNC-46.
@Suite struct TravelNameTests {
  private let one = TeamModels.key(1)
  private let two = TeamModels.key(2)

  /// The models under other names. A new store declares the names by which they travel.
  private static func renamed(declared: Bool) -> [ModelSchema] {
    var models = TeamModels.all
    (models[0].name, models[0].properties[1].name) = ("Squad", "title")
    models[1].properties[2].name = "alias"
    models[1].properties[3].reference?.model = "Squad"
    guard declared else { return models }
    (models[0].syncName, models[0].properties[1].syncName) = ("Team", "name")
    models[1].properties[2].syncName = "nick"
    return models
  }

  private static func rename(_ m: MigrationContext) throws {
    try m.rename("Team", to: "Squad")
    try m.rename("name", to: "title", in: "Squad")
    try m.rename("nick", to: "alias", in: "Person")
  }

  private func expectEqual(_ a: Store, _ b: Store) throws {
    let report = try Store.replicate(a, b)
    #expect(report.isEqual, "\(report)")
    for store in [a, b] { #expect(try store.sync?.check() == []) }
  }

  @Test(arguments: ["file", "sqlite", "lmdb"])
  func aRenameRecordsNothingAndSyncGoesOn(_ scheme: String) throws {
    let (a, b) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
    try a.insert("Team", Record(["id": one, "name": "red", "size": 3]))
    try a.insert("Person", Record(["id": one, "name": "Ann", "nick": "an", "team": one]))
    try expectEqual(a.store, b.store)
    let entries = try a.sync.status().entries
    try a.store.close()
    let store = try Store(program: Self.renamed(declared: false), in: a.url, migration: .to(2, Self.rename))
    defer { try? store.close() }
    try store.enableSync()
    let status = try #require(try store.sync?.status())
    #expect(status.entries == entries && status.pending == 0)
    #expect(status.models.sorted() == ["Badge", "Job", "Person", "Squad"])
    try expectEqual(store, b.store)
    try store.records.upsert(into: "Squad", [Record(["id": one, "title": "blue"])], updating: ["title"])
    try b.update("Person", one, "nick", "annie")
    try expectEqual(store, b.store)
    #expect(try b.value("Team", one, "name") == "blue")
    #expect(try store.records.fetch(in: "Person").map { $0["alias"] } == ["annie"])
    // What is held has the names of its store.
    try store.records.insert(into: "Squad", [Record(["id": two, "title": "green"])])
    try b.insert("Team", Record(["id": TeamModels.key(3), "name": "green"]))
    try expectEqual(store, b.store)
    let mine = try #require(try store.sync?.held().first)
    #expect(mine.object.model == "Squad" && mine.values["title"] == "green" && mine.waitsFor.map(\.model) == ["Squad"])
    let theirs = try #require(try b.sync.held().first)
    #expect(theirs.object.model == "Team" && theirs.values["name"] == "green")
    // A new store that declares the names meets both.
    let c = try SyncedPlace("memory", models: Self.renamed(declared: true))
    try expectEqual(c.store, b.store)
    try expectEqual(c.store, store)
    #expect(try c.value("Squad", one, "title") == "blue")
  }

  /// The program of a hub, and an accepted item, have the names of their own stores: SYNC-62, SYNC-64.
  @Test func hubsAndItemsHaveTheNamesOfTheirStores() throws {
    let (hub, a) = (try SyncedPlace("memory", models: Self.renamed(declared: true)), try SyncedPlace("sqlite"))
    try hub.store.enableSync(as: .hub)
    try hub.insert("Squad", Record(["id": one, "title": "red"]))
    try expectEqual(a.store, hub.store)
    try hub.sync.authorize { change, _ in
      change.objects.contains { $0.model == "Squad" && $0.before?["title"] == "red" } ? .refuse("closed") : .accept
    }
    try a.update("Team", one, "name", "blue")
    try expectEqual(a.store, hub.store)
    #expect(try hub.value("Squad", one, "title") == "red")
    let item = try #require(try a.sync.held().first)
    #expect(item.object.model == "Team" && item.values == ["name": "blue"] && item.message == "closed")
    hub.store.sync?.authorize { _, _ in .accept }
    try a.sync.edit(item, ["name": "green"])
    try expectEqual(a.store, hub.store)
    #expect(try hub.value("Squad", one, "title") == "green")
  }

  @Test func otherNamesAreOtherModels() throws {
    let (a, b) = (try SyncedPlace("memory", models: Self.renamed(declared: false)), try SyncedPlace("memory"))
    #expect(throws: StorageError.self) { try Store.replicate(a.store, b.store) }
  }

  @Test func twoModelsThatTravelByOneNameAreRefused() throws {
    let key = PropertySchema(name: "id", type: .uuid)
    let models = [
      ModelSchema(name: "A", properties: [key], primaryKey: 0, syncName: "B"),
      ModelSchema(name: "B", properties: [key], primaryKey: 0),
    ]
    let place = try SyncedPlace("memory", models: models, isSynced: false)
    for names in [["A"], ["B"], ["A", "B"]] {
      let error = #expect(throws: StorageError.self) { try place.store.enableSync(named: names) }
      #expect(error?.code == .schemaMismatch)
    }
    #expect(try place.store.storedSync() == nil)
  }
}
