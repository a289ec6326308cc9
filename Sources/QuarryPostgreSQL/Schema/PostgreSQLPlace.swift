#if PostgreSQL
  import QuarryBackend

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
    ///
    /// - Parameter isWrite: Whether the server's number of the transaction comes too, by which its outcome can be asked later.
    func stateSQL(_ writers: BackendManifest.Writers, isWrite: Bool = false) -> String {
      let number = isWrite ? ", pg_current_xact_id()" : ""
      switch writers {
      case .one: return "SELECT s.schema_version, c.version, s.tableoid\(number) FROM \(store) s, \(commit) c"
      case .many: return "SELECT s.schema_version, \(Self.snapshotVersion), s.tableoid\(number) FROM \(store) s"
      }
    }

    /// The number of the transactions that have ended before the snapshot of the statement, in the whole server.
    ///
    /// With many writers it is the version of a state. It never falls, each commit raises it, and no commit writes it: a counter in a
    /// row would let all writers conflict. Transactions of other databases raise it too.
    static let snapshotVersion =
      "pg_snapshot_xmax(pg_current_snapshot())::text::bigint "
      + "- (SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()))"

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
    /// - Parameters:
    ///   - isAlone: Whether no other writer may be inside. Writers that may be inside together keep one out that must be alone.
    ///   - waits: Whether it waits for another writer.
    func writeLocks(isAlone: Bool, waits: Bool) -> String {
      let mode = isAlone ? "EXCLUSIVE" : "ROW EXCLUSIVE"
      return "LOCK TABLE \(line) IN \(mode) MODE\(waits ? "" : " NOWAIT"); \(snapshotLocks)"
    }
  }
#endif
