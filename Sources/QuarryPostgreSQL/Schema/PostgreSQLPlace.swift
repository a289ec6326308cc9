#if PostgreSQL
  /// The schema of a database that has a store, and the names of Quarry's own tables in it.
  struct PostgreSQLPlace: Sendable, Hashable {
    /// The schema's name.
    let schema: String

    /// The tables of Quarry's own.
    var store: String { qualified("_quarry_store") }
    var line: String { qualified("_quarry_line") }

    var quoted: String { PostgreSQLName.quoted(schema) }

    /// A quoted name with the schema's before it: the server's search path means nothing.
    func qualified(_ name: String) -> String { "\(quoted).\(PostgreSQLName.quoted(name))" }

    /// The version of a state, from its snapshot: how many transactions have ended, which rises with every commit.
    private static let version =
      "(pg_snapshot_xmax(x)::text::bigint - (SELECT count(*) FROM pg_snapshot_xip(x)))"

    /// The state that a transaction sees: the version of the schema, and the version of the rows.
    var stateSQL: String {
      "SELECT s.schema_version, s.generation, \(Self.version) FROM \(store) s, pg_current_snapshot() x"
    }

    /// Locks the gate, which only changes of the schema close. `LOCK TABLE` takes no snapshot, so that it comes before one.
    var gateSQL: String { "LOCK TABLE \(store) IN ACCESS SHARE MODE" }
  }
#endif
