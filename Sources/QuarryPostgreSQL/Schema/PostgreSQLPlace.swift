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

    /// The state that a transaction sees: the version of the schema, the number of the last commit, and which store it is.
    var stateSQL: String { "SELECT s.schema_version, l.version, s.tableoid FROM \(store) s, \(line) l" }

    /// The same for a write, with the number by which the server knows later what became of it.
    var writeStateSQL: String {
      "SELECT s.schema_version, l.version, s.tableoid, pg_current_xact_id() FROM \(store) s, \(line) l"
    }

    /// Numbers the commit of the transaction. Whoever holds the line is the only one that does.
    var raiseSQL: String { "UPDATE \(line) SET version = version + 1" }

    /// Locks the gate, which only changes of the schema close. `LOCK TABLE` takes no snapshot, so that it comes before one.
    var gateSQL: String { "LOCK TABLE \(store) IN ACCESS SHARE MODE" }
  }
#endif
