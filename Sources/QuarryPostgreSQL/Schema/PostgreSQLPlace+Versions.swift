#if PostgreSQL
  import QuarryBackend

  /// The versions of a store with many writers.
  ///
  /// The version of a state is the number of the commits that it shows. No row has it: a counter would let all writers conflict.
  /// Each write that changes something leaves the server's number of its transaction in a table of its own, and a state shows
  /// those whose numbers its snapshot shows. Serializable transactions only add to that table, and it is read outside of them. So
  /// it is the cause of no conflict.
  ///
  /// Snapshots of one server form a chain: of two, one shows all that the other shows. So a later state has the greater version.
  extension PostgreSQLPlace {
    /// The number of commits after which a new row of ``count`` saves the counting of the older ones.
    static let commitsOfCount = 100
    /// How many rows of ``count`` are kept, with the commits since the oldest of them.
    private static let keptCounts = 100

    /// The tables, which a store with many writers has.
    var versionTablesSQL: String {
      "CREATE TABLE \(change) (xid xid8 PRIMARY KEY); "
        + "CREATE TABLE \(count) (xid xid8 PRIMARY KEY, version bigint NOT NULL); "
        + "INSERT INTO \(count) VALUES ('0', 0); "
    }

    /// The version of the state that a snapshot shows; NULL if that is too long ago.
    ///
    /// - Parameter snapshot: An expression for the snapshot; nil for the statement's own. The snapshot shows every transaction
    ///   below its `xmin`, so that these are counted already.
    func versionSQL(of snapshot: String?) -> String {
      let isShown = snapshot.map { " AND pg_visible_in_snapshot(c.xid, \($0))" } ?? ""
      return "(SELECT k.version + (SELECT count(*) FROM \(change) c WHERE c.xid >= k.xid\(isShown)) FROM \(count) k "
        + "WHERE k.xid <= pg_snapshot_xmin(\(snapshot ?? "pg_current_snapshot()")) ORDER BY k.xid DESC LIMIT 1)"
    }

    /// Reads ``versionSQL(of:)`` for the server's text of a snapshot.
    func version(of view: String) -> PostgreSQLStatement {
      var parameters = PostgreSQLParameters()
      parameters.add(text: view.utf8)
      return PostgreSQLStatement("SELECT \(versionSQL(of: "$1::pg_snapshot"))", parameters)
    }

    /// Reads ``versionSQL(of:)`` for what the transaction itself sees.
    var ownVersion: PostgreSQLStatement { PostgreSQLStatement("SELECT \(versionSQL(of: nil))") }

    /// Removes the row that a write has in ``line``.
    ///
    /// - Parameter row: Its place, as the server has named it. No other condition would do: it would read the rows of other
    ///   writes.
    func leave(_ row: String) -> PostgreSQLStatement {
      var parameters = PostgreSQLParameters()
      parameters.add(text: row.utf8)
      return PostgreSQLStatement("DELETE FROM \(line) WHERE ctid = $1::tid", parameters)
    }

    /// Notes that the transaction commits a change.
    var noteChange: PostgreSQLStatement {
      PostgreSQLStatement("INSERT INTO \(change) VALUES (pg_current_xact_id())")
    }

    /// After a commit: the version of the newest state, that of the state which the transaction has seen, and the number of
    /// commits since the last row of ``count``.
    func versions(_ view: String) -> PostgreSQLStatement {
      var parameters = PostgreSQLParameters()
      parameters.add(text: view.utf8)
      return PostgreSQLStatement(
        "SELECT \(versionSQL(of: nil)), \(versionSQL(of: "$1::pg_snapshot")), "
          + "(SELECT count(*) FROM \(change) WHERE xid >= (SELECT xid FROM \(count) ORDER BY xid DESC LIMIT 1))",
        parameters)
    }

    /// Counts the commits before all that are under way, and forgets old ones.
    ///
    /// What is counted never changes again, so that all who count at once find the same.
    var countSQL: String {
      let oldest = "(SELECT xid FROM \(count) ORDER BY xid DESC OFFSET \(Self.keptCounts) LIMIT 1)"
      return
        "INSERT INTO \(count) SELECT x.xmin, k.version + (SELECT count(*) FROM \(change) c WHERE c.xid >= k.xid AND c.xid < x.xmin) "
        + "FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin) x, "
        + "(SELECT xid, version FROM \(count) ORDER BY xid DESC LIMIT 1) k WHERE x.xmin > k.xid ON CONFLICT DO NOTHING; "
        + "DELETE FROM \(change) WHERE xid < \(oldest); DELETE FROM \(count) WHERE xid < \(oldest)"
    }

    /// Whether a transaction has committed a change that a snapshot does not show.
    ///
    /// - Parameter snapshot: The server's text of the snapshot.
    func isOvertakenSQL(_ snapshot: String) -> String {
      let old = "\(PostgreSQLName.literal(snapshot))::pg_snapshot"
      return
        "SELECT EXISTS (SELECT FROM \(change) WHERE xid >= pg_snapshot_xmin(\(old)) AND NOT pg_visible_in_snapshot(xid, \(old)))"
    }
  }
#endif
