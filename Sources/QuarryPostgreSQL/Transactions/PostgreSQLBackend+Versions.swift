#if PostgreSQL
  import QuarryBackend

  // The versions of stores with many writers: see ``PostgreSQLPlace/versionSQL(of:)``.
  extension PostgreSQLBackend {
    /// The version of the state that a snapshot shows, where there are many writers, read outside of every transaction.
    ///
    /// - Parameter view: The server's text of the snapshot.
    /// - Returns: Nil where no connection is free, or the state is too old.
    func version(of view: String) -> CommitVersion? {
      guard let connection = try? pool.take(Deadline(after: 0)) else { return nil }
      defer { pool.give(connection) }
      guard let result = try? connection.query(place.version(of: view)), result.count == 1, !result.isNull(0, 0) else {
        return nil
      }
      return (try? PostgreSQLReadTransaction.integer(result, 0)).map { CommitVersion(UInt64(clamping: $0)) }
    }

    /// The version of the state that a transaction sees, which is asked for on its own connection only if no other will do.
    func version(
      of base: PostgreSQLBase, on connection: PostgreSQLConnection
    ) throws(StorageError) -> CommitVersion {
      switch base {
      case .version(let version): return version
      case .standby:
        let number = try PostgreSQLReadTransaction.integer(try connection.query(place.ownVersion), 0)
        return CommitVersion(UInt64(clamping: number))
      case .view(let view):
        if let version = version(of: view) { return version }
        let number = try PostgreSQLReadTransaction.integer(try connection.query(place.version(of: view)), 0)
        return CommitVersion(UInt64(clamping: number))
      }
    }
  }

  /// What a commit of one of many writers finds out about its place.
  struct PostgreSQLCommitPlace {
    /// The version of a state with the commit, and perhaps with later ones.
    var version: CommitVersion
    /// The version of the state that the transaction has seen; nil if that is too long ago.
    var base: CommitVersion?
    /// Whether it is time to count the commits.
    var isCountDue: Bool

    /// - Parameter result: The result of ``PostgreSQLPlace/versions(_:)``.
    init(_ result: PostgreSQLResult) throws(StorageError) {
      func number(_ column: Int) throws(StorageError) -> UInt64 {
        UInt64(clamping: try PostgreSQLReadTransaction.integer(result, column))
      }
      version = CommitVersion(try number(0))
      base = result.isNull(0, 1) ? nil : CommitVersion(try number(1))
      let count = try number(2)
      // Where an old transaction is under way, nothing is counted, and not every commit shall try.
      isCountDue = count > 0 && count % UInt64(PostgreSQLPlace.commitsOfCount) == 0
    }

    /// The result of a commit.
    ///
    /// - Parameter isAlone: Whether no other write was inside.
    func result(isAlone: Bool) -> CommitResult {
      guard let base else { return CommitResult(version: version) }
      let next = CommitVersion(base.rawValue &+ 1)
      // Whoever comes after a write that was alone is not between it and what it has seen.
      guard isAlone || version == next else { return CommitResult(version: version) }
      return CommitResult(version: next, previous: base)
    }
  }
#endif
