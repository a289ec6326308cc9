public import QuarryBackend
public import QuarryConformance
import QuarrySQLite

/// Stores in databases of a temporary folder each.
public struct SQLiteHarness: StoreFolderHarness {
  public let engine = EngineDescription.sqlite
  public let folder: TemporaryFolder

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

  public var goldenStores: [GoldenStore] {
    GoldenFiles.stores(.sqlite, .sealedSQLite) { ($0 as? SQLiteConfiguration)?.path }
  }

  public func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise {
    // The log is synced before its pages go into the database, and nothing is without syncs.
    LostPowerPromise(isCommittedState: durability != .none, keepsWhatWasClosed: durability != .none)
  }

  public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try AnyOptions.places(
      [
        ("cacheBytes", { (place: inout SQLiteConfiguration, number) in place.cacheBytes = number }),
        ("readers", { (place: inout SQLiteConfiguration, number) in place.readers = number }),
        ("statements", { (place: inout SQLiteConfiguration, number) in place.statements = number }),
      ], makePlace)
  }
}
