#if PostgreSQL
  import Foundation
  import QuarryBackend
  import Synchronization

  /// A store in a schema of a PostgreSQL database: tables, columns and indexes that other programs can read.
  ///
  /// One writer at a time holds the lock of a table, on all machines. In a store with many writers, writes and reads are
  /// serializable transactions of the server, and those that conflict fail. If it is synced, its writes take turns too. Readers do not wait for writers, but for the commit
  /// of a change of the schema that takes something away.
  final class PostgreSQLBackend: Backend {
    let manifest: BackendManifest
    let place: PostgreSQLPlace
    let pool: PostgreSQLPool
    let shared = PostgreSQLSharedSchema()
    /// The number of open snapshots.
    let snapshots = Atomic<Int>(0)
    let isReadOnly: Bool
    /// Whether a pooler gives each transaction another session.
    let isPooled: Bool
    /// What the store is on.
    let server: ServerKind
    let busyTimeout: Double
    private let durability: BackendManifest.Durability
    private let closed = Atomic<Bool>(false)
    /// The server's number of the store's table, which a store that was made in its place does not have; 0 until it is known.
    let table = Atomic<UInt64>(0)
    /// Whether the last transaction could not begin, for a reason that is the store's.
    let isDoubtful = Atomic<Bool>(false)
    /// How many of many writers keep those of other openings out.
    let turns = Atomic<Int>(0)
    /// How long the server is asked what became of a commit, in milliseconds: it may be starting again.
    let outcomeTimeout = Atomic<Int>(10_000)
    /// How many writes have found, where there are many writers, that a change of their schema has to begin before other writers.
    let lateChanges = Atomic<Int>(0)

    /// The oldest server whose `pg_current_snapshot` and pipelines are used.
    static let oldestServer = 140_000

    /// The attempt from which on one of many writers keeps those of other openings out, on all machines.
    static let firstWithTurn = 8

    /// For how long a write that has waited for the others, and does not go on, keeps them waiting: in milliseconds.
    private static let stoppedTime = 700

    init(_ configuration: PostgreSQLConfiguration, _ options: OpenOptions) throws(StorageError) {
      try PostgreSQLConfiguration.manifest.check(options)
      try configuration.checkSchema()
      try configuration.checkConnections()
      let place = PostgreSQLPlace(schema: configuration.schema)
      let pool = PostgreSQLPool(
        try configuration.settings(isReadOnly: options.isReadOnly),
        limit: configuration.connections,
        greeting: place.enterSQL(options.busyTimeout), reporter: options.reporter)
      self.place = place
      self.pool = pool
      isReadOnly = options.isReadOnly
      isPooled = configuration.pooled
      busyTimeout = options.busyTimeout
      let writers: BackendManifest.Writers
      do throws(StorageError) {
        let connection = try pool.take(Deadline(after: options.busyTimeout))
        defer { pool.give(connection) }
        do throws(StorageError) {
          server = pool.server
          durability = try Self.prepare(place, configuration, server, options, connection)
          writers = try PostgreSQLSchemaStore.writers(configuration.writers, place, connection)
        } catch {
          throw connection.isLost ? pool.loss(error) : error
        }
      } catch {
        pool.close()
        throw error
      }
      manifest = .postgreSQL(durability: durability, writers: writers, on: server)
      // The first read finds damage, and a schema of a newer version.
      do throws(StorageError) {
        let (connection, _, _) = try beginOnConnection(server.readGate(place))
        connection.sendEnd()
        pool.give(connection)
      } catch {
        pool.close()
        throw error
      }
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    // MARK: Frames

    /// Begins a transaction for reading, in one trip.
    ///
    /// - Parameters:
    ///   - locks: What is locked before the first look.
    ///   - snapshot: The server's name of a snapshot to read; nil for the newest state.
    ///   - isSerializable: Whether the server orders the read among many writers.
    func beginOnConnection(
      _ locks: String, snapshot: String? = nil, isSerializable: Bool = false
    ) throws(StorageError) -> (PostgreSQLConnection, PostgreSQLSchemaState, PostgreSQLBase) {
      let pinned = snapshot.map { "SET TRANSACTION SNAPSHOT \(PostgreSQLName.literal($0)); " } ?? ""
      let frame = try begin(
        { connection in
          server.beginRead(isSerializable: isSerializable, isStandby: connection.isStandby) + pinned
        }, locks, place.stateSQL(manifest.writers), Deadline(after: busyTimeout), busyTimeout)
      return (frame.connection, frame.state, frame.base)
    }

    /// What a transaction begins with.
    private struct Frame {
      let connection: PostgreSQLConnection
      let state: PostgreSQLSchemaState
      let base: PostgreSQLBase
      /// The server's number of the transaction, where it was asked for.
      let number: UInt64?
      /// The place of the row that the write has among those of many writers.
      let row: String?
      /// The run of the server, where it was asked for.
      let run: String?
    }

    /// Sends the frame of a transaction, on a connection that is given back when it fails.
    ///
    /// - Parameters:
    ///   - start: Returns what begins the transaction on a connection.
    ///   - locks: What is locked before the first look, which fixes what the transaction sees.
    ///   - look: The first look.
    ///   - deadline: The end of the wait for a connection and for the locks.
    ///   - timeout: How long the caller wanted to wait, for the error.
    private func begin(
      _ start: (PostgreSQLConnection) throws(StorageError) -> String, _ locks: String, _ look: String,
      _ deadline: Deadline,
      _ timeout: Double
    ) throws(StorageError) -> Frame {
      var attempts = 0
      while true {
        guard !isClosed else { throw .storeClosed }
        let connection: PostgreSQLConnection
        do throws(StorageError) {
          connection = try pool.take(deadline)
        } catch {
          noteBegin(error)
          throw error
        }
        do throws(StorageError) {
          let sql = "\(try start(connection))\(Self.lockTimeout(deadline))\(locks)\(look)"
          let result = try pool.cancelledByClosing(connection) { () throws(StorageError) in try connection.run(sql) }
          try checkTable(result, connection)
          let base = try base(result, connection)
          guard let number = result.text(0, 0).flatMap({ UInt64($0) }) else {
            throw StorageError(.corrupt, "the store has no version of its schema")
          }
          try connection.forgetStatements(unlessOf: number)
          noteBegin(nil)
          return Frame(
            connection: connection, state: try state(number, connection), base: base,
            number: result.text(0, 3).flatMap { UInt64($0) }, row: result.text(0, 4), run: result.text(0, 5))
        } catch {
          attempts += 1
          let wasLost = connection.isLost
          if !wasLost { _ = try? connection.run("ROLLBACK") }
          let removal = isTableMissing(error) && !wasLost ? missing(connection) : nil
          pool.give(connection)
          if let removal {
            noteBegin(removal)
            throw removal
          }
          if isClosed { throw .storeClosed }
          // The pooler has none for any connection.
          let hasNoSession = isPooled && error.sqlState == "53300"
          // Idle connections may have ended since their last use, all of them where the server was started again. The caller
          // need not know.
          if wasLost, error.sqlState == "25006", attempts == 1 {
            // Another server may have taken the place of this one.
            pool.closeIdle()
            continue
          }
          if wasLost, !hasNoSession, error.sqlState != "25006", attempts <= PostgreSQLPool.mostIdle + 1 { continue }
          let result = wasLost ? pool.loss(error) : translated(error, timeout)
          noteBegin(result)
          throw result
        }
      }
    }

    /// Throws when another store has been made in the place of the one that was opened.
    ///
    /// - Parameter result: The result of ``PostgreSQLPlace/stateSQL(_:isWrite:asksForRun:)``.
    func checkTable(_ result: PostgreSQLResult, _ connection: PostgreSQLConnection) throws(StorageError) {
      try checkTable(result.text(0, 2).flatMap { UInt64($0) }, connection)
    }

    /// - Parameter number: The server's number of the store's table; nil if the store has no row.
    func checkTable(_ number: UInt64?, _ connection: PostgreSQLConnection) throws(StorageError) {
      guard let number else { throw try withoutRow(connection) }
      let (isFirst, known) = table.compareExchange(expected: 0, desired: number, ordering: .relaxed)
      if !isFirst, known != number { throw .removed(place.schema) }
    }

    func translated(_ error: StorageError, _ timeout: Double) -> StorageError {
      switch error.sqlState {
      case "55P03": .busy(timeout)
      default: error
      }
    }

    /// The schema of that version, which is loaded when another process has changed it.
    private func state(
      _ version: UInt64, _ connection: PostgreSQLConnection
    ) throws(StorageError) -> PostgreSQLSchemaState {
      if let state = shared.state(version) { return state }
      let schema = try PostgreSQLSchemaStore.load(place, connection)
      guard schema.version == version else {
        throw StorageError(.corrupt, "the stored schema and its number disagree")
      }
      let state = try PostgreSQLSchemaState(schema, in: place)
      shared.adopt(state)
      return state
    }

    /// The state from the result of ``PostgreSQLPlace/stateSQL``.
    private func base(
      _ result: PostgreSQLResult, _ connection: PostgreSQLConnection
    ) throws(StorageError) -> PostgreSQLBase {
      let text = result.text(0, 1)
      if manifest.writers == .many, connection.isStandby { return .standby }
      if manifest.writers == .many, let text { return .view(text) }
      guard let number = text.flatMap({ UInt64($0) }) else {
        throw StorageError(.corrupt, "the store has no number of its last commit")
      }
      return .version(CommitVersion(number))
    }

    /// The setting for waits of locks; 0 waits without an end.
    static func lockTimeout(_ deadline: Deadline) -> String {
      "SET LOCAL lock_timeout = \(deadline.instant == nil ? 0 : max(1, deadline.millisecondsLeft)); "
    }

    // MARK: Reading

    func beginRead() throws(StorageError) -> any BackendReadTransaction {
      let (connection, state, base) = try beginOnConnection(
        server.readGate(place), isSerializable: manifest.writers == .many)
      return PostgreSQLReadTransaction(self, connection, state, base: base)
    }

    func withRow(
      _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
      let transaction = try beginRead()
      defer { transaction.end() }
      guard let row = try transaction.row(model, key) else { return false }
      try body(row)
      return true
    }

    func snapshot() throws(StorageError) -> any BackendSnapshot {
      let limit = manifest.limits.openSnapshots ?? Int.max
      let (old, _) = snapshots.add(1, ordering: .relaxed)
      do throws(StorageError) {
        guard old < limit else { throw .limitExceeded("open snapshots", limit: limit, actual: old + 1) }
        let deadline = Deadline(after: busyTimeout)
        while true {
          do throws(StorageError) {
            return try exported()
          } catch {
            // A write was just committing that the snapshot may not precede.
            guard server.isConflict(error), !deadline.hasPassed else { throw error }
          }
        }
      } catch {
        snapshots.subtract(1, ordering: .relaxed)
        throw error
      }
    }

    /// Pins the newest state by a transaction that exports it.
    private func exported() throws(StorageError) -> PostgreSQLSnapshot {
      let isConcurrent = manifest.writers == .many
      let (connection, state, base) = try beginOnConnection(place.snapshotLocks, isSerializable: isConcurrent)
      do throws(StorageError) {
        let version = try version(of: base, on: connection)
        // No write is under way on a standby.
        if isConcurrent, !connection.isStandby { try connection.run(place.writersSQL) }
        // A snapshot is idle for as long as its caller wants.
        let export = "SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_export_snapshot()"
        guard let name = try connection.run(export).text(0, 0) else {
          throw StorageError(.io, "the server exported no snapshot")
        }
        return PostgreSQLSnapshot(self, connection, state, version, name: name)
      } catch {
        let error = connection.isLost ? pool.loss(error) : error
        connection.sendEnd()
        pool.give(connection)
        throw error
      }
    }

    // MARK: Writing

    func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
      guard !isClosed else { throw .storeClosed }
      guard !isReadOnly else { throw .openedForReading }
      try manifest.check(options)
      let timeout = options.timeout ?? busyTimeout
      let deadline = Deadline(after: timeout)
      var isSynced = shared.isSynced
      while true {
        if let transaction = try beginWrite(options, &isSynced, deadline, timeout) {
          return transaction.capturing(options.capture)
        }
      }
    }

    /// Begins a write.
    ///
    /// - Parameter isSynced: Whether the store is taken for a synced one; then whether it is. Of many writers of such a store, one
    ///   writes at a time, as in a store with one writer.
    /// - Returns: Nil where the store was taken for the other kind: the write has to begin with other locks.
    private func beginWrite(
      _ options: WriteOptions, _ isSynced: inout Bool, _ deadline: Deadline, _ timeout: Double
    ) throws(StorageError) -> PostgreSQLWriteTransaction? {
      let waitsForDisk = durability == .powerLoss ? "on" : "off"
      let isConcurrent = manifest.writers == .many
      let isAlone =
        !isConcurrent || isSynced || options.isSchemaChange
        || options.attempt > 1 && lateChanges.load(ordering: .relaxed) > 0
      // A write that has conflicted several times lets no other program begin one, so that it ends.
      let hasTurn = isConcurrent && !isAlone && options.attempt >= Self.firstWithTurn
      let turn: PostgreSQLPlace.Turn =
        if hasTurn { .own } else { isConcurrent && turns.load(ordering: .relaxed) == 0 ? .common : .none }
      if hasTurn { turns.add(1, ordering: .relaxed) }
      var isBegun = false
      defer { if hasTurn, !isBegun { turns.subtract(1, ordering: .relaxed) } }
      let start = server.beginWrite(isSynced ? .one : manifest.writers)
      let frame = try withoutStopping(isAlone) { (patience) throws(StorageError) in
        // Without a time to wait in, the line is taken at once or not at all.
        try begin(
          { connection throws(StorageError) in
            guard !connection.isStandby else { throw connection.left() }
            return "\(start); SET LOCAL synchronous_commit = \(waitsForDisk); \(patience)"
          },
          server.writeGate(place, isAlone: isAlone, turn: turn, waits: !deadline.hasPassed),
          place.stateSQL(manifest.writers, isWrite: true, asksForRun: isPooled), deadline, timeout)
      }
      if isConcurrent, !options.isSchemaChange, frame.state.isSynced != isSynced {
        isSynced = frame.state.isSynced
        _ = try? frame.connection.run("ROLLBACK")
        pool.give(frame.connection)
        return nil
      }
      if isPooled { frame.connection.serverRun = frame.run }
      let transaction = PostgreSQLWriteTransaction(
        self, frame.connection, frame.state, base: frame.base, number: frame.number, row: frame.row, isAlone: isAlone,
        hasTurn: hasTurn, deadline: deadline)
      isBegun = true
      return transaction
    }

    /// Begins a transaction. The server releases its locks soon if this process stops while the transaction waits for them.
    ///
    /// - Parameters:
    ///   - isNeeded: Whether the locks keep others out.
    ///   - begin: Begins the transaction, and sets what ends it.
    private func withoutStopping(
      _ isNeeded: Bool, _ begin: (String) throws(StorageError) -> Frame
    ) throws(StorageError) -> Frame {
      guard isNeeded else { return try begin("") }
      // This process is not stopped: its body may take as long as it wants.
      let reset = "SET LOCAL idle_in_transaction_session_timeout TO DEFAULT"
      while true {
        let start = ContinuousClock.now
        let frame = try begin("SET LOCAL idle_in_transaction_session_timeout = \(Self.stoppedTime); ")
        if ContinuousClock.now - start < .milliseconds(50) {
          // Nothing waits for the answer.
          frame.connection.send(reset)
          return frame
        }
        do throws(StorageError) {
          try frame.connection.run(reset)
          return frame
        } catch {
          // The process was stopped, or the machine is slow. The locks are gone, and are waited for again.
          pool.give(frame.connection)
          guard frame.connection.isLost else { throw error }
        }
      }
    }

    // MARK: The end

    func close() throws(StorageError) {
      guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
      pool.close()
    }
  }
#endif
