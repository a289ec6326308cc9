import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Synced stores of older versions: see `Tests/Golden`. Those of 0.9 have records with values, those of 0.10 have clocks.
@Suite struct SyncGoldenTests {
  private static let engines = EngineDescription.all.filter { $0.fileSuffix != nil }.map(\.name)

  private func copy(
    _ name: String, _ prefix: String = "", of version: String = "0.9-sync"
  ) throws -> (ScratchFolder, any BackendProvider) {
    let engine = try #require(EngineDescription.all.first { $0.name == name })
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Golden/\(version)").standardizedFileURL
    let folder = try ScratchFolder()
    try FileManager.default.copyItem(
      atPath: engine.path(in: golden.path, prefix + engine.name), toPath: engine.path(in: folder.path, "store"))
    return (folder, try engine.provider(at: engine.path(in: folder.path, "store")))
  }

  private func sync(_ store: Store) throws -> StoreSync { try #require(try store.storedSync()) }

  private func expectContent(_ store: Store) throws {
    let teams = try store.records.fetch(in: "Team", sortedBy: "id")
    #expect(teams.compactMap { $0["id"] } == ["gold", "gray", "red", "t1"])
    let red = teams.first { $0["id"] == "red" }
    #expect(red?["motto"] == "up" && red?["size"] == 2)
    let people = try store.records.fetch(in: "Person", sortedBy: "id")
    #expect(people.map { $0["id"] } == ["p0", "p2", "p3", "p4"])
    #expect(people.map { $0["views"] } == [5, 1, 1, 1])
    #expect(people.map { $0["team"] } == ["red", "gold", "gray", .null])
    let held = try sync(store).held()
    #expect(held.map(\.reason).sorted { $0.rawValue < $1.rawValue } == [.lostEdit, .parent, .unique])
    #expect(try sync(store).status().pending == 1)
    #expect(try sync(store).check() == [])
  }

  @Test(arguments: engines)
  func itIsReadAndConverted(_ engine: String) throws {
    let (folder, place) = try copy(engine)
    defer { withExtendedLifetime(folder) {} }
    var options = OpenOptions()
    options.isReadOnly = true
    let reading = try Store(models: [], in: place, options: options)
    try expectContent(reading)
    let digest = try sync(reading).digest()
    try reading.close()

    let store = try Store(models: [], in: place)
    try expectContent(store)
    #expect(throws: StorageError.self) { try store.records.delete(in: "Person", keys: ["p3"]) }
    let (before, records) = try sync(store).reading { work in
      try work.loadAll()
      return (try work.schema.area.value(AreaKey.state, in: work.transaction)?.first, work.records)
    }
    #expect(before == 1)
    try store.enableSync()
    try expectContent(store)
    #expect(try sync(store).digest() == digest)
    try sync(store).reading { work in
      try work.loadAll()
      #expect(work.records == records && work.state.hasClocks)
      try work.schema.area.forEach(AreaKey.Kind.record.prefix, in: work.transaction) { _, _ in
        #expect(Bool(false), "an old record")
        return true
      }
    }
    try store.close()
    // It stays converted.
    let again = try Store(models: [], in: place)
    try again.enableSync()
    try expectContent(again)
    try again.close()
  }

  /// A state of format 3 is read, and written in the present format when it changes.
  @Test(arguments: engines)
  func aStoreWithClocksGoesOn(_ engine: String) throws {
    let (folder, place) = try copy(engine, of: "0.10-sync")
    defer { withExtendedLifetime(folder) {} }
    let store = try Store(models: [], in: place)
    try expectContent(store)
    try store.enableSync()
    let sync = try sync(store)
    func format() throws -> UInt8? {
      try sync.reading { work in try work.schema.area.value(AreaKey.state, in: work.transaction)?.first }
    }
    #expect(try format() == 3)
    try sync.restored()
    #expect(try format() == 4)
    try expectContent(store)
    try store.close()
  }

  @Test(arguments: engines, ["0.9-sync", "0.10-sync"])
  func bothGoOnTogether(_ engine: String, _ version: String) throws {
    let places = [try copy(engine, of: version), try copy(engine, "other-", of: version)]
    defer { withExtendedLifetime(places.map(\.0)) {} }
    let stores = try places.map { try Store(models: [], in: $0.1) }
    for store in stores { try store.enableSync() }
    try stores[1].records.upsert(
      into: "Team", [Record([("id", "red"), ("name", "rouge")])], updating: ["name"])
    try stores[0].records.delete(in: "Team", keys: ["t1"])
    #expect(try Store.replicate(stores[0], stores[1]).isEqual)
    for store in stores {
      #expect(
        try store.records.fetch(in: "Team", sortedBy: "id").map { $0["name"] } == ["gold", "gray", "rouge", "pink"])
      #expect(try store.records.fetch(in: "Person", sortedBy: "id").last?["team"] == "t2")
      #expect(try sync(store).check() == [] && store.check() == [])
      try store.close()
    }
  }
}
