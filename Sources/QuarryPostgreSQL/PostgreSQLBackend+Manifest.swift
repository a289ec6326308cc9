#if PostgreSQL
  import CPostgreSQL
  public import QuarryBackend

  extension PostgreSQLConfiguration {
    /// The version of the client library that this process uses. A store's server has a version of its own.
    public static var engineVersion: String {
      let version = PQlibVersion()
      return "libpq \(version / 10_000).\(version % 10_000)"
    }

    /// The manifest of a store that is opened without options on a server that syncs.
    public static let manifest = BackendManifest.postgreSQL(durability: .powerLoss, writers: .one, on: .postgreSQL)
  }

  extension BackendManifest {
    /// The features that the engine offers.
    static func postgreSQL(durability: Durability, writers: Writers, on server: ServerKind) -> BackendManifest {
      BackendManifest(
        name: "postgresql", engineVersion: PostgreSQLConfiguration.engineVersion,
        capabilities: Dictionary(uniqueKeysWithValues: Capability.allCases.map { ($0, support($0, on: server)) }),
        // A field, and a message of the server, has 1 GiB at most; an escaped text is up to three times as long as the text.
        limits: Limits(rowBytes: 64 << 20, properties: 400, openSnapshots: 50),
        isolation: .serializable, durability: durability, sharing: .manyProcesses, writers: writers,
        schemaChanges: .afterSnapshots)
    }

    private static func support(_ capability: Capability, on server: ServerKind) -> CapabilitySupport {
      if let reason = server.refused[capability] { return .unsupported(reason: reason) }
      return support(capability)
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
        .schemaDropProperty, .schemaChangeOptionality, .schemaChangeReference, .schemaCreateIndex, .schemaDropIndex,
        .schemaRenameIndex, .schemaSetVersion:
        .native
      case .statistics, .check, .repair, .destroy: .native
      case .captureKeys, .captureRows: .emulated
      case .openNamespace: .unsupported(reason: "the schema of the place separates stores")
      case .openEncryption: .unsupported(reason: "the server protects its disk and the connection")
      case .compact: .unsupported(reason: "the server vacuums its tables itself")
      case .backup: .unsupported(reason: "pg_dump and the server's own backups do it")
      }
    }
  }
#endif
