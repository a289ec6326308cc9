#if PostgreSQL
  /// The schema of a database that has a store, and the names of Quarry's own tables in it.
  struct PostgreSQLPlace: Sendable, Hashable {
    /// The schema's name.
    let schema: String

    /// The format and the schema of the store. Each transaction and each snapshot holds a shared lock of it.
    var store: String { qualified("_quarry_store") }
    /// An empty table, which no vacuum visits. Its lock is the queue of the writers; each transaction holds a shared lock of it, and
    /// a snapshot between its reads does not.
    var line: String { qualified("_quarry_line") }
    /// The number of the last commit.
    var commit: String { qualified("_quarry_commit") }

    var quoted: String { PostgreSQLName.quoted(schema) }

    /// A quoted name with the schema's before it: the server's search path means nothing.
    func qualified(_ name: String) -> String { "\(quoted).\(PostgreSQLName.quoted(name))" }

    /// The state that a transaction sees: the version of the schema, the number of the last commit, and which store it is.
    var stateSQL: String { "SELECT s.schema_version, c.version, s.tableoid FROM \(store) s, \(commit) c" }

    /// The same for a write, with the number by which the server knows later what became of it.
    var writeStateSQL: String {
      "SELECT s.schema_version, c.version, s.tableoid, pg_current_xact_id() FROM \(store) s, \(commit) c"
    }

    /// Numbers the commit of the transaction. Only the holder of the line does.
    var raiseSQL: String { "UPDATE \(commit) SET version = version + 1" }

    // `LOCK TABLE` takes no snapshot, so that it comes before the first look. Every transaction locks the line before the store, as
    // changes of the schema do: of the two locks only the first is ever waited for.

    /// The locks of a read.
    var readLocks: String { "LOCK TABLE \(line), \(store) IN ACCESS SHARE MODE; " }

    /// The lock of a snapshot, next to which properties may be added.
    var snapshotLocks: String { "LOCK TABLE \(store) IN ACCESS SHARE MODE; " }

    /// The locks of a write.
    ///
    /// - Parameter waits: Whether it waits for another writer.
    func writeLocks(waits: Bool) -> String {
      "LOCK TABLE \(line) IN EXCLUSIVE MODE\(waits ? "" : " NOWAIT"); \(snapshotLocks)"
    }
  }
#endif
