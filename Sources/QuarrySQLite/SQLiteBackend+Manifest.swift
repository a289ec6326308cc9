import CSQLite
public import QuarryBackend

extension SQLiteConfiguration {
  /// The version of the SQLite library that this process uses.
  public static var engineVersion: String { String(cString: sqlite3_libversion()) }

  /// The manifest of a store that is opened without options, where SQLite was built with its own limits.
  public static let manifest = BackendManifest.sqlite(durability: .powerLoss, length: 1_000_000_000, columns: 2000)
}

extension BackendManifest {
  /// The features that SQLite offers.
  ///
  /// - Parameters:
  ///   - length: SQLite's limit for the bytes of a row, of which half is declared: text in JSON and numbers as text can
  ///     take more bytes in the database than in the row format.
  ///   - columns: SQLite's limit for the columns of a table; a decimal takes two, and a table may have one besides.
  static func sqlite(durability: Durability, length: Int, columns: Int) -> BackendManifest {
    BackendManifest(
      name: "sqlite", engineVersion: SQLiteConfiguration.engineVersion,
      capabilities: Dictionary(uniqueKeysWithValues: Capability.allCases.map { ($0, support($0)) }),
      limits: Limits(
        rowBytes: length / 2, properties: (columns - 1) / 2, openSnapshots: 100, pathBytes: SQLiteFile.longestPath),
      isolation: .serializable, durability: durability, sharing: .manyProcesses)
  }

  private static func support(_ capability: Capability) -> CapabilitySupport {
    switch capability {
    case .openReadOnly, .openDurability, .transactions, .savepoints, .multipleProcesses, .snapshots: .native
    case .queryCompare, .queryCompareColumns, .queryText, .querySort, .queryLimit, .queryPaging, .queryExplain:
      .native
    case .queryTextFolding, .queryNested, .queryAggregate, .queryGroup: .emulated
    case .upsert, .updateWhere, .deleteWhere: .native
    case .compareAndUpdate: .emulated
    case .indexPlain, .indexUnique, .indexCompound, .indexDescending: .native
    case .schemaCreateModel, .schemaDropModel, .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty,
      .schemaDropProperty, .schemaCreateIndex, .schemaDropIndex, .schemaSetVersion:
      .native
    // SQLite cannot rename an index, make a column nullable or required, or make it a reference: the index or the table is
    // created again.
    case .schemaRenameIndex, .schemaChangeOptionality, .schemaChangeReference: .emulated
    case .statistics, .check, .repair, .compact, .backup, .destroy, .openEncryption: .native
    case .openNamespace: .unsupported(reason: "a file holds one store")
    case .captureKeys, .captureRows: .emulated
    }
  }
}
