#if PostgreSQL
  import Foundation
  import QuarryBackend

  // What needs the store for one opening alone.

  extension PostgreSQLPlace {
    /// What a connection of an open store begins with.
    ///
    /// - Parameter timeout: How long it waits, in seconds, for a store that is just being removed or put aside, and for locks outside of
    ///   transactions.
    func enterSQL(_ timeout: Double) -> String {
      // Between its transactions, a connection reads what no serializable one may.
      "SET default_transaction_isolation = 'read committed'; SET lock_timeout = \(max(1, Deadline.milliseconds(timeout))); "
        + "SELECT pg_advisory_lock_shared(\(presence)); \(Self.runSQL)"
    }

    /// Reads which run of the server it is. After each crash, also of one of its processes, both times are others. The numbers of
    /// transactions that were not on the disk by then are given again.
    static let runSQL = "SELECT (pg_postmaster_start_time(), stats_reset)::text FROM pg_stat_bgwriter"

    /// Calls the body while no other opening has the store.
    ///
    /// - Parameters:
    ///   - connection: The only connection of this opening, which has entered.
    ///   - deadline: The end of the wait for connections that are just ending.
    /// - Throws: `inUse`; the errors of the body.
    func alone<R>(
      _ connection: PostgreSQLConnection, _ deadline: Deadline, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
      // Before the lock of its own: of two that wait for each other neither would have it.
      try connection.run("SELECT pg_advisory_unlock_shared(\(presence))")
      while try connection.run("SELECT pg_try_advisory_lock(\(presence))").text(0, 0) != "t" {
        guard !deadline.hasPassed else {
          // However long the other one takes.
          try connection.run(
            "SELECT set_config('lock_timeout', '0', true); SELECT pg_advisory_lock_shared(\(presence))")
          throw .inUse(by: nil, "the store in the schema \(schema) is open elsewhere, or is read")
        }
        Thread.sleep(forTimeInterval: 0.005)
      }
      defer {
        if !connection.isLost {
          if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
          _ = try? connection.run("SELECT pg_advisory_lock_shared(\(presence)), pg_advisory_unlock(\(presence))")
        }
      }
      return try body()
    }

    private func tryAlone(_ connection: PostgreSQLConnection) -> Bool {
      (try? connection.run("SELECT pg_try_advisory_lock(\(presence))"))?.text(0, 0) == "t"
    }

    // MARK: Places next to this one

    /// The name of a place for a copy, which begins as the names of all of them do.
    func scratch(_ name: String) -> String { scratchBeginning + name.lowercased().filter(\.isHexDigit).prefix(12) }

    private var scratchBeginning: String { Self.cut(schema, to: PostgreSQLName.mostBytes - 29) + "._quarry.scratch-" }

    /// A name that nothing has, for the store when it is put aside.
    func quarantine(_ connection: PostgreSQLConnection) throws(StorageError) -> String {
      // The time has 16 characters.
      let room = PostgreSQLName.mostBytes - QuarantineName.infix.utf8.count - 16
      func free(_ room: Int) throws(StorageError) -> String {
        try QuarantineName.free(for: Self.cut(schema, to: room)) { name throws(StorageError) in
          // The server would cut a longer one.
          let kept = PostgreSQLName.literal(Self.cut(name, to: PostgreSQLName.mostBytes))
          return try connection.run("SELECT FROM pg_namespace WHERE nspname = \(kept)").count > 0
        }
      }
      let name = try free(room)
      // A number behind the time has up to 4.
      return name.utf8.count <= PostgreSQLName.mostBytes ? name : try free(room - 4)
    }

    private static func cut(_ name: String, to count: Int) -> String {
      var result = ""
      for character in name.unicodeScalars {
        guard result.utf8.count + String(character).utf8.count <= count else { break }
        result.unicodeScalars.append(character)
      }
      return result
    }

    /// Removes the places for copies that killed processes have left. One that is in use stays, and what fails is left to the
    /// next opening.
    func removeLeftovers(_ connection: PostgreSQLConnection) {
      let names = try? connection.run(
        "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, \(PostgreSQLName.literal(scratchBeginning)))")
      guard let names else { return }
      for index in 0..<names.count {
        guard let name = names.text(index, 0) else { continue }
        let place = PostgreSQLPlace(schema: name)
        // The server may not have noticed yet that the process is gone.
        let deadline = Deadline(after: 0.1)
        var isFree = place.tryAlone(connection)
        while !isFree, !connection.isLost, !deadline.hasPassed {
          Thread.sleep(forTimeInterval: 0.005)
          isFree = place.tryAlone(connection)
        }
        guard isFree else { continue }
        _ = try? connection.run("DROP SCHEMA \(place.quoted) CASCADE")
        _ = try? connection.run("SELECT pg_advisory_unlock(\(place.presence))")
      }
    }
  }

  extension PostgreSQLBackend {
    /// Lets further attempts of writes keep all other writers out, until the body has ended.
    func noteLateChange() { lateChanges.add(1, ordering: .relaxed) }
    func forgetLateChange() {
      var old = lateChanges.load(ordering: .relaxed)
      while old > 0 {
        let (isDone, now) = lateChanges.compareExchange(expected: old, desired: old - 1, ordering: .relaxed)
        if isDone { return }
        old = now
      }
    }
  }

  extension PostgreSQLBackend: QuarantiningBackend {
    /// How long connections that have just been closed are waited for, in seconds. Those who closed them need no patience for it.
    private static let closingTime = 1.0

    /// Calls the body with a connection, in a transaction that has locked the store, while no other opening has it.
    ///
    /// - Throws: `inUse`; the errors of the body.
    private func alone<R>(_ body: (PostgreSQLConnection) throws(StorageError) -> R) throws(StorageError) -> R {
      guard !isClosed else { throw .storeClosed }
      guard !isReadOnly else { throw .openedForReading }
      if let reason = server.refused[.destroy] { throw StorageError(.unsupported, reason) }
      let (connection, _, _) = try beginOnConnection(server.readGate(place))
      defer { pool.give(connection) }
      do throws(StorageError) {
        try connection.run("COMMIT")
        pool.closeIdle()
        return try place.alone(connection, Deadline(after: Self.closingTime)) {
          () throws(StorageError) in
          try connection.run(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = \(max(1, Deadline.milliseconds(busyTimeout))); "
              + "LOCK TABLE \(place.line), \(place.store)")
          // Another opening may have put the store aside, and made a new one.
          try checkTable(try connection.run(place.stateSQL(manifest.writers)), connection)
          return try body(connection)
        }
      } catch {
        switch error.sqlState {
        case "2BP01": throw .inUse(by: nil, "other objects of the database depend on tables of the store")
        case "55P03": throw .inUse(by: nil, "another program uses tables of the store")
        case "42P01", "3F000": throw .removed(place.schema)
        default: throw error
        }
      }
    }

    /// Drops the tables of the store, and the schema when nothing else is in it. What others have hung on the tables stops it.
    func destroy() throws(StorageError) {
      try alone { connection throws(StorageError) in
        // No model comes after this look.
        let schema = try PostgreSQLSchemaStore.load(place, connection)
        let versions = manifest.writers == .many ? [place.change, place.count] : []
        let tables =
          schema.models.map { place.qualified($0.name) } + versions + [place.commit, place.line, place.store]
        try connection.run(tables.map { "DROP TABLE \($0); " }.joined() + "COMMIT")
        // A schema with tables of others stays.
        _ = try? connection.run("DROP SCHEMA \(place.quoted)")
      }
      try close()
    }

    /// Gives the schema another name.
    func quarantine() throws(StorageError) -> String {
      do throws(StorageError) {
        let name = try alone { connection throws(StorageError) in
          let name = try place.quarantine(connection)
          try connection.run("ALTER SCHEMA \(place.quoted) RENAME TO \(PostgreSQLName.quoted(name)); COMMIT")
          return name
        }
        try close()
        return name
      } catch {
        try? close()
        throw error.code == .io && error.sqlState == nil ? .inUse(by: nil, "the store was put aside elsewhere") : error
      }
    }
  }
#endif
