public import QuarryBackend
public import QuarryConformance
import QuarrySQLite

/// Stores in databases of a temporary folder each.
public struct SQLiteHarness: ConformanceHarness {
  public let name = "sqlite"
  public let isPersistent = true
  private let folder: TemporaryFolder

  public init(_ folder: TemporaryFolder = TemporaryFolder()) {
    self.folder = folder
  }

  public let manifest = BackendManifest(
    name: "sqlite", engineVersion: SQLiteConfiguration.engineVersion,
    native: [
      .openReadOnly, .openDurability, .transactions, .savepoints, .multipleProcesses, .snapshots, .queryCompare,
      .queryCompareColumns, .queryText, .querySort, .queryLimit, .queryPaging, .queryExplain, .upsert, .updateWhere,
      .deleteWhere, .indexPlain, .indexUnique, .indexCompound, .indexDescending, .schemaCreateModel, .schemaDropModel,
      .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .schemaDropProperty, .schemaCreateIndex,
      .schemaDropIndex, .schemaSetVersion, .statistics, .check, .repair, .compact, .backup, .destroy, .openEncryption,
    ],
    emulated: [
      .queryTextFolding, .queryNested, .queryAggregate, .queryGroup, .compareAndUpdate, .schemaRenameIndex,
      .schemaChangeOptionality, .schemaChangeReference, .captureKeys, .captureRows,
    ],
    unsupported: [
      .openNamespace: "a file holds one store"
    ],
    limits: BackendManifest.Limits(rowBytes: 500_000_000, properties: 999, openSnapshots: 100, pathBytes: 504),
    durability: .powerLoss, sharing: .manyProcesses)

  public var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      EngineHarnesses.program, arguments: [name], address: { ($0 as? SQLiteConfiguration)?.path },
      place: { SQLiteConfiguration(path: $0) })
  }

  public var goldenStores: [GoldenStore] {
    GoldenFiles.stores(.sqlite, .sealedSQLite) { ($0 as? SQLiteConfiguration)?.path }
  }

  public func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise {
    // The log is synced before its pages go into the database, and nothing is without syncs.
    LostPowerPromise(isCommittedState: durability != .none, keepsWhatWasClosed: durability != .none)
  }

  public func makePlace() throws -> any BackendProvider {
    SQLiteConfiguration(path: try folder.make() + "/store.db")
  }

  public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try AnyOptions.places(
      [
        ("cacheBytes", { (place: inout SQLiteConfiguration, number) in place.cacheBytes = number }),
        ("readers", { (place: inout SQLiteConfiguration, number) in place.readers = number }),
        ("statements", { (place: inout SQLiteConfiguration, number) in place.statements = number }),
      ], makePlace)
  }

  public func folder(of place: any BackendProvider) -> String? {
    (place as? SQLiteConfiguration).map { TemporaryFolder.folder(of: $0.path) }
  }

  public func remove(_ place: any BackendProvider) {
    if let place = place as? SQLiteConfiguration { folder.remove(folderOf: place.path) }
  }

  public func files(at place: any BackendProvider) -> [String] {
    (place as? SQLiteConfiguration).map { folder.files(beside: $0.path) } ?? []
  }
}
