#if PostgreSQL
  import QuarryBackend

  /// The schema of a database that has a store, and the names of Quarry's own tables in it.
  struct PostgreSQLPlace: Sendable, Hashable {
    /// The schema's name.
    let schema: String

    static let storeName = "_quarry_store"
    private static let lineName = "_quarry_line"
    static let commitName = "_quarry_commit"
    static let changeName = "_quarry_change"
    static let countName = "_quarry_count"
    /// The tables that every store has.
    static let names = [storeName, lineName, commitName]

    /// The format and the schema of the store. Each transaction and each snapshot holds a shared lock of it.
    var store: String { qualified(Self.storeName) }
    /// A table without columns. Its lock is the queue of the writers; each transaction holds a shared lock of it, and a snapshot
    /// between its reads does not. With one writer it is empty, and no vacuum visits it. With many, each write has a row in it
    /// until its commit, which snapshots read: see ``writersSQL``.
    var line: String { qualified(Self.lineName) }
    /// The number of the last commit, with one writer. With many, its lock is the turn of those that have conflicted several
    /// times.
    var commit: String { qualified(Self.commitName) }
    /// With many writers, the numbers of the transactions that have committed a change, as far back as they are still needed.
    var change: String { qualified(Self.changeName) }
    /// With many writers, how many such transactions have a lower number than the one of the row: see ``versionSQL(of:)``.
    var count: String { qualified(Self.countName) }

    /// The number of an advisory lock. Each connection of an open store holds it shared. A connection that gets it exclusively is
    /// the only one of the store. The server releases the lock when the connection ends.
    var presence: String { "hashtextextended(\(PostgreSQLName.literal("quarry open " + schema)), 0)" }

    var quoted: String { PostgreSQLName.quoted(schema) }

    /// A quoted name with the schema's before it: the server's search path means nothing.
    func qualified(_ name: String) -> String { "\(quoted).\(PostgreSQLName.quoted(name))" }

    /// The state that a transaction sees: the version of the schema, the number of the last commit, or with many writers what the
    /// transaction sees, and which store it is.
    ///
    /// - Parameters:
    ///   - isWrite: Whether the server's number of the transaction comes too, by which its outcome can be asked later;
    ///     with many writers also the place of its row in ``line``.
    ///   - asksForRun: Whether a write also reads which run of the server it is in.
    func stateSQL(_ writers: BackendManifest.Writers, isWrite: Bool = false, asksForRun: Bool = false) -> String {
      let number = isWrite ? ", pg_current_xact_id()" : ""
      let run = asksForRun ? ", (\(Self.runSQL))" : ""
      switch (writers, isWrite) {
      case (.one, true) where asksForRun:
        return "SELECT s.schema_version, c.version, s.tableoid\(number), NULL\(run) FROM \(store) s, \(commit) c"
      case (.one, _): return "SELECT s.schema_version, c.version, s.tableoid\(number) FROM \(store) s, \(commit) c"
      case (.many, false): return "SELECT s.schema_version, pg_current_snapshot(), s.tableoid FROM \(store) s"
      case (.many, true):
        return "WITH own AS (INSERT INTO \(line) DEFAULT VALUES RETURNING ctid) "
          + "SELECT s.schema_version, pg_current_snapshot(), s.tableoid\(number), own.ctid\(run) FROM \(store) s, own"
      }
    }

    /// Reads, with many writers, the rows of all writes that are under way.
    ///
    /// A snapshot is read on connections that the server knows nothing of. To the server, the transaction that exports it has
    /// read what every write of that time changes. So none of them can commit that would have to come both before a commit that
    /// the snapshot shows, and after the snapshot: the server lets such a write fail, and it runs again.
    ///
    /// The rollback gives the lock of the table back, and the server goes on knowing what was read.
    var writersSQL: String {
      "SAVEPOINT w; SELECT count(*) FROM \(line); ROLLBACK TO SAVEPOINT w; RELEASE SAVEPOINT w"
    }

    /// Numbers the commit of the transaction. Only the holder of the line does.
    var raiseSQL: String { "UPDATE \(commit) SET version = version + 1" }

    // `LOCK TABLE` takes no snapshot, so that it comes before the first look. Every transaction locks the line first and the store
    // last, as changes of the schema do.

    /// The locks of a read.
    var readLocks: String { "LOCK TABLE \(line), \(store) IN ACCESS SHARE MODE; " }

    /// The lock of a snapshot, next to which properties may be added.
    var snapshotLocks: String { "LOCK TABLE \(store) IN ACCESS SHARE MODE; " }

    /// The turn of one of many writers that has conflicted several times.
    enum Turn {
      /// It comes alone; writers of the same opening, whose turns the program arranges, and for which its body may wait, come
      /// anyhow.
      case own
      /// It waits for those that have a turn of their own.
      case common
      /// It waits for none.
      case none
    }

    /// The locks of a write.
    ///
    /// - Parameters:
    ///   - isAlone: Whether no other writer may be inside. Writers that may be inside together keep one out that must be alone.
    ///   - turn: The turn of one of many writers.
    ///   - waits: Whether it waits for another writer.
    func writeLocks(isAlone: Bool, turn: Turn, waits: Bool) -> String {
      let mode = isAlone ? "EXCLUSIVE" : "ROW EXCLUSIVE"
      let end = waits ? "" : " NOWAIT"
      let turns =
        switch turn {
        case .own: "LOCK TABLE \(commit) IN EXCLUSIVE MODE\(end); "
        case .common: "LOCK TABLE \(commit) IN ROW EXCLUSIVE MODE\(end); "
        case .none: ""
        }
      return "LOCK TABLE \(line) IN \(mode) MODE\(end); \(turns)\(snapshotLocks)"
    }
  }
#endif
