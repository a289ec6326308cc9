import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

@testable import QuarrySync

@Suite struct RefusalTests {
  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  @Test func aStoreThatIsNotContinuedRefusesWrites() throws {
    let place = try SyncedPlace("sqlite")
    try place.insert("Team", Record(["id": TeamModels.key(1), "name": "red"]))
    try place.store.close()
    let other = try Store(program: TeamModels.all, in: place.url)
    #expect(try other.records.fetch(in: "Team").count == 1)
    #expect(
      code { try other.records.insert(into: "Team", [Record(["id": TeamModels.key(2), "name": "blue"])]) }
        == .unsupported)
    #expect(code { try Store.replicate(other, other) } == .notFound)
    try other.enableSync()
    try other.records.insert(into: "Team", [Record(["id": TeamModels.key(2), "name": "blue"])])
    try other.endSync()
    try other.records.insert(into: "Team", [Record(["id": TeamModels.key(3), "name": "gold"])])
    #expect(try other.records.fetch(in: "Team").count == 3 && other.sync == nil)
    #expect(code { try other.enableSync() } == .notFound)
    try other.close()
  }

  @Test func modelsThatCannotBeSyncedAreRefused() throws {
    let number = ModelSchema(
      name: "Number",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)],
      primaryKey: 0)
    let place = try SyncedPlace("memory", models: TeamModels.all + [number], isSynced: false)
    #expect(code { try place.store.enableSync(named: ["Number"]) } == .unsupported)
    #expect(code { try place.store.enableSync(named: ["Team"]) } == .unsupported)
    #expect(code { try place.store.enableSync(named: ["Job"]) } == .unsupported)
    #expect(code { try place.store.enableSync(named: ["None"]) } == .notFound)
    #expect(code { try place.store.enableSync() } == .notFound)
    // Nothing has changed: the store can be written to.
    try place.store.records.insert(into: "Number", [Record(["id": 1, "text": "a"])])
    try place.store.enableSync(named: ["Number"], naturalKeys: ["Number"])
    #expect(try place.sync.status().models == ["Number"])
  }

  @Test func storesOfDifferentModelsDoNotExchange() throws {
    let (a, b) = (try SyncedPlace("memory"), try SyncedPlace("memory", models: [TeamModels.team], isSynced: false))
    try b.store.enableSync(named: ["Team"], naturalKeys: [])
    #expect(code { try Store.replicate(a.store, b.store) } == .schemaMismatch)
  }

  @Test func aMigrationIsRecordedByTheNextCall() throws {
    let (a, b) = (
      try SyncedPlace("sqlite", models: [TeamModels.team]), try SyncedPlace("memory", models: [TeamModels.team])
    )
    try a.insert("Team", Record(["id": TeamModels.key(1), "name": "red"]))
    try Store.replicate(a.store, b.store)
    try a.store.close()
    var model = TeamModels.team
    model.properties.append(PropertySchema(name: "motto", type: .string, isOptional: true))
    let store = try Store(program: [model], in: a.url)
    #expect(code { try store.records.delete(in: "Team", keys: [TeamModels.key(1)]) } == .unsupported)
    try store.enableSync()
    #expect(try store.sync?.check() == [])
    #expect(code { try Store.replicate(store, b.store) } == .schemaMismatch)
    try store.close()
  }
}
