#if PostgreSQL
  import QuarryBackend
  import Synchronization

  // What has become of a store whose own tables are not as they were.

  extension PostgreSQLBackend {
    /// Whether an error says that a table or the schema of the store is gone.
    func isTableMissing(_ error: StorageError) -> Bool { error.sqlState == "42P01" || error.sqlState == "3F000" }

    /// Finds out which tables of the store are gone.
    ///
    /// - Parameter connection: One without a transaction.
    /// - Returns: `corrupt` with the name of a table, if the store that was opened is still there; else `io`.
    func missing(_ connection: PostgreSQLConnection) -> StorageError {
      let found = try? connection.run(
        "SELECT c.relname::text, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
          + "WHERE n.nspname = \(PostgreSQLName.literal(place.schema)) AND c.relkind IN ('r', 'p') "
          + "AND starts_with(c.relname::text, '_quarry_')")
      guard let found else { return .removed(place.schema) }
      var numbers: [String: UInt64] = [:]
      for row in 0..<found.count {
        numbers[found.text(row, 0) ?? ""] = found.text(row, 1).flatMap { UInt64($0) }
      }
      let known = table.load(ordering: .relaxed)
      guard let number = numbers[PostgreSQLPlace.storeName], known == 0 || known == number,
        let name = PostgreSQLPlace.names.first(where: { numbers[$0] == nil })
      else { return .removed(place.schema) }
      return StorageError(.corrupt, "the table \(name) of the store is missing")
    }

    /// The error for a store of whose own tables one has lost its row.
    func withoutRow(_ connection: PostgreSQLConnection) throws(StorageError) -> StorageError {
      let isThere = try connection.run("SELECT EXISTS (SELECT FROM \(place.store))").text(0, 0) == "t"
      let name = isThere ? PostgreSQLPlace.commitName : PostgreSQLPlace.storeName
      return StorageError(.corrupt, "the table \(name) has no row")
    }
  }

  extension PostgreSQLBackend: ServerBackend {}

  extension PostgreSQLBackend: WatchedBackend {
    /// The server does not notify of commits.
    func commitWatch() -> (any CommitWatch)? { nil }

    /// Begins a transaction once more, if the last one could not begin because of the store and not of the connection. Otherwise it
    /// asks the server nothing.
    func requireInPlace() throws(StorageError) {
      guard isDoubtful.load(ordering: .relaxed) else { return }
      do throws(StorageError) {
        try beginRead().end()
      } catch {
        guard Self.isLasting(error) else { return }
        throw error
      }
    }

    /// Notes whether a transaction could begin.
    func noteBegin(_ error: StorageError?) {
      let isDoubtful = error.map(Self.isLasting) ?? false
      if self.isDoubtful.load(ordering: .relaxed) != isDoubtful {
        self.isDoubtful.store(isDoubtful, ordering: .relaxed)
      }
    }

    /// Whether an error is one of the store, and not of a server that cannot be reached or has no room.
    private static func isLasting(_ error: StorageError) -> Bool {
      [.io, .corrupt, .notFound, .schemaTooNew, .unsupported, .invalidValue].contains(error.code)
    }
  }
#endif
