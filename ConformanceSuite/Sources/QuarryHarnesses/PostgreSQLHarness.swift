#if PostgreSQL
  public import QuarryBackend
  public import QuarryConformance
  import Foundation
  import QuarryPostgreSQL
  import QuarryPrivateServer

  /// Stores in schemas of a server: the one that the environment's `QUARRY_TEST_POSTGRES` names by a connection string, or a private
  /// one that is started for the process.
  public struct PostgreSQLHarness: ConformanceHarness {
    public let isPersistent = true
    private let writers: BackendManifest.Writers
    private let pooled: Bool

    /// - Parameters:
    ///   - writers: How many transactions write at once in the stores.
    ///   - pooled: Whether the stores are behind a private pooler.
    public init(_ writers: BackendManifest.Writers = .one, pooled: Bool = false) {
      self.writers = writers
      self.pooled = pooled
    }

    public var name: String {
      if pooled { return EngineDescription.Variant.postgreSQLPooled.name }
      return writers == .one ? "postgresql" : EngineDescription.Variant.postgreSQLManyWriters.name
    }

    public var manifest: BackendManifest {
      var manifest = Self.manifest
      manifest.writers = writers
      if pooled {
        manifest.capabilities[.destroy] = .unsupported(
          reason: "behind a pooler nothing says whether a store is open elsewhere")
      }
      return manifest
    }

    private func connection() throws -> String {
      try pooled ? PostgreSQLCluster.pooledConnection() : PostgreSQLCluster.connection()
    }

    private static let manifest = BackendManifest(
      name: "postgresql", engineVersion: PostgreSQLConfiguration.engineVersion,
      native: [
        .openReadOnly, .openDurability, .transactions, .savepoints, .multipleProcesses, .snapshots, .queryCompare,
        .queryCompareColumns, .queryText, .querySort, .queryLimit, .queryPaging, .queryExplain, .upsert, .updateWhere,
        .deleteWhere, .indexPlain, .indexUnique, .indexCompound, .indexDescending, .schemaCreateModel,
        .schemaDropModel, .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .schemaDropProperty,
        .schemaChangeOptionality, .schemaChangeReference, .schemaCreateIndex, .schemaDropIndex, .schemaRenameIndex,
        .schemaSetVersion, .statistics, .check, .repair, .destroy,
      ],
      emulated: [
        .queryTextFolding, .queryNested, .queryAggregate, .queryGroup, .compareAndUpdate, .captureKeys, .captureRows,
      ],
      unsupported: [
        .openNamespace: "the schema of the place separates stores",
        .openEncryption: "the server protects its disk and the connection",
        .compact: "the server vacuums its tables itself",
        .backup: "pg_dump and the server's own backups do it",
      ],
      limits: BackendManifest.Limits(rowBytes: 64 << 20, properties: 400, openSnapshots: 50),
      durability: .powerLoss, sharing: .manyProcesses, schemaChanges: .afterSnapshots)

    public func makePlace() throws -> any BackendProvider {
      PostgreSQLConfiguration(
        try connection(),
        schema: "q_\(UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(20))",
        writers: writers, pooled: pooled)
    }

    public func remove(_ place: any BackendProvider) {
      guard var place = place as? PostgreSQLConfiguration else { return }
      if place.pooled, let direct = try? PostgreSQLCluster.connection() {
        place.connection = direct
        place.pooled = false
      }
      Self.remover.remove(place)
    }

    private static let remover = PostgreSQLRemover()

    public var secondProcess: ConformanceProcess? {
      let (writers, pooled) = (writers, pooled)
      return ConformanceProcess(
        EngineHarnesses.program, arguments: [name],
        // The schema comes last: what is appended to an address makes the name of another one.
        address: { place in (place as? PostgreSQLConfiguration).map { "\($0.connection) \($0.schema)" } },
        place: { address in
          var words = address.split(separator: " ", omittingEmptySubsequences: false)
          let schema = words.popLast() ?? ""
          return PostgreSQLConfiguration(
            words.joined(separator: " "), schema: String(schema), writers: writers, pooled: pooled)
        })
    }

    public var storage: ConformanceStorage { .server }

    /// - Parameter path: The name of a schema, as a report has it, or an address.
    public func place(at path: String) throws -> (any BackendProvider)? {
      if path.contains(" ") { return try secondProcess?.place(path) }
      return PostgreSQLConfiguration(try connection(), schema: path, writers: writers, pooled: pooled)
    }

    public func neighbours(of place: any BackendProvider) throws -> [String] {
      guard let place = place as? PostgreSQLConfiguration else { return [] }
      return try place.schemas(startingWith: place.schema + ".")
    }

    public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
      try AnyOptions.places(
        [("connections", { (place: inout PostgreSQLConfiguration, number) in place.connections = number })], makePlace)
    }
  }
#endif
