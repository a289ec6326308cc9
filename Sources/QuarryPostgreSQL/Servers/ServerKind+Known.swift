#if PostgreSQL
  import QuarryBackend

  extension ServerKind {
    static let postgreSQL = ServerKind(name: "PostgreSQL", isRun: true)

    // From documentation, not run: everything below.

    /// PostgreSQL with an extension that spreads tables over servers. A store is in plain tables of the server that it connects to.
    static let citus = ServerKind(name: "Citus")

    static let cockroachDB = ServerKind(
      name: "CockroachDB", isolation: (one: "SERIALIZABLE", many: "SERIALIZABLE"), conflictStates: ["40001"],
      gate: .descriptors, restartsAtSavepoint: true, presence: .none, outcome: .tokenRow, settings: "",
      lacks: [
        "its transactions do not undo changes of tables", "it orders NaN before all numbers",
        "it does not say which transactions a snapshot shows",
      ],
      refused: [
        .snapshots: "its states are read by their time, and are removed after a while",
        .schemaChangeOptionality: "its transactions do not undo changes of tables",
        .destroy: "it has no advisory lock that says whether a store is open",
      ])

    static let yugabyteDB = ServerKind(
      name: "YugabyteDB", isolation: (one: "REPEATABLE READ", many: "SERIALIZABLE"), gate: .rowLocks,
      presence: .none, outcome: .tokenRow, settings: "",
      lacks: [
        "it has no LOCK TABLE, which keeps the writers in order",
        "its transactions undo changes of tables only by a flag",
      ],
      refused: [
        .snapshots: "it exports snapshots only by a flag",
        .destroy: "it has no advisory lock that says whether a store is open",
      ])

    static let greenplum = ServerKind(
      name: "Greenplum", lacks: ["it has no serializable transactions over all of its nodes"])
    static let redshift = ServerKind(
      name: "Redshift", lacks: ["it has no serializable transactions over all of its nodes"])

    static let known: [ServerKind] = [postgreSQL, citus, cockroachDB, yugabyteDB, greenplum, redshift]

    /// - Parameters:
    ///   - version: What `SELECT version()` returns.
    ///   - hasCitus: Whether the database has the extension.
    static func of(version: String, hasCitus: Bool = false) -> ServerKind {
      if version.hasPrefix("CockroachDB") { return .cockroachDB }
      if version.contains("-YB-") { return .yugabyteDB }
      if version.contains("Greenplum Database") { return .greenplum }
      if version.contains("Redshift") { return .redshift }
      return hasCitus ? .citus : .postgreSQL
    }

    /// Asks the server.
    ///
    /// - Throws: `unsupported` for one that lacks something; the errors of the connection.
    static func of(_ connection: PostgreSQLConnection) throws(StorageError) -> ServerKind {
      let version = try connection.run("SELECT version()").text(0, 0) ?? ""
      // What is no PostgreSQL may have no such table.
      try of(version: version).check()
      return of(version: version, hasCitus: try connection.run(citusSQL).text(0, 0) == "t")
    }

    static let citusSQL = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"

    // MARK: Citus

    private var isCitus: Bool { name == Self.citus.name }

    /// The setting with which the schema of a new store stays on its server; empty where none is needed.
    var creationSettings: String { isCitus ? "SET LOCAL citus.enable_schema_based_sharding = off; " : "" }

    /// Counts the tables of a store that are on other servers, whose states no snapshot of this one shows.
    func distributedSQL(_ place: PostgreSQLPlace) -> String {
      "SELECT count(*) FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid "
        + "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = \(PostgreSQLName.literal(place.schema))"
    }

    /// Throws `unsupported` for a store whose tables are on other servers.
    func checkPlace(_ place: PostgreSQLPlace, _ connection: PostgreSQLConnection) throws(StorageError) {
      guard isCitus, try connection.run(distributedSQL(place)).text(0, 0) != "0" else { return }
      throw StorageError(
        .unsupported, "the schema \(place.schema) is distributed: its transactions have no common snapshot on Citus")
    }
  }
#endif
