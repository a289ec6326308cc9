#if PostgreSQL
  import Foundation
  import QuarryBackend

  /// The write transaction, which holds the line of writers, or is one of many.
  ///
  /// A call that can fail makes its changes inside a savepoint of its own, so that it leaves nothing behind when it fails: after
  /// an error the server refuses all statements until a savepoint is rolled back.
  final class PostgreSQLWriteTransaction: PostgreSQLReadTransaction, BackendWriteTransaction {
    /// Whether anything was changed that makes a version.
    var hasChanged = false
    /// Whether the schema was changed, if only in what a savepoint has undone.
    private var hasNewSchema = false
    /// The state that a rollback of each open savepoint restores.
    private var savepoints: [(name: String, hasChanged: Bool, state: PostgreSQLSchemaState, cursors: Int)] = []
    /// How many savepoints have had a name. Each has its own: where one could not be made, no other is rolled back in its place.
    private var namedSavepoints = 0
    /// The server's number of the transaction.
    private let number: UInt64?
    /// The place of the row that the write has among those of many writers.
    private let row: String?
    /// Whether no other writer has been inside since before the first look.
    private let isAlone: Bool
    /// Whether the writers of other openings are kept out.
    private let hasTurn: Bool
    /// The end of the time that the caller gave for waiting.
    private let deadline: Deadline

    init(
      _ backend: PostgreSQLBackend, _ connection: PostgreSQLConnection, _ state: PostgreSQLSchemaState,
      base: PostgreSQLBase, number: UInt64?, row: String?, isAlone: Bool, hasTurn: Bool, deadline: Deadline
    ) {
      self.number = number
      self.row = row
      self.isAlone = isAlone
      self.hasTurn = hasTurn
      self.deadline = deadline
      super.init(backend, connection, state, base: base)
    }

    deinit {
      rollback()
    }

    /// Notes that rows of a model were changed.
    ///
    /// Numbers of sequences make no version: no observer sees them. So a write that takes numbers in advance meanwhile still directly
    /// follows the state that it has seen.
    func note(_ model: PostgreSQLModel) {
      if !model.isOfSequences { hasChanged = true }
    }

    /// The model, once it is known that the transaction can be used.
    func usableModel(_ id: ModelID) throws(StorageError) -> PostgreSQLModel {
      try check()
      return try model(id)
    }

    // MARK: End

    private var isConcurrent: Bool { backend.manifest.writers == .many }

    func commit() throws(StorageError) -> CommitResult {
      do throws(StorageError) {
        try check()
        // The commit ends cursors and savepoints.
        _ = takeUnsent()
        let result = isConcurrent ? try commitConcurrently() : try commitInLine()
        if !isEnded { finish() }
        return result
      } catch {
        rollback()
        throw error
      }
    }

    private func commitInLine() throws(StorageError) -> CommitResult {
      var version = try self.version()
      guard hasChanged else {
        do throws(StorageError) { try connection.run("COMMIT") } catch { throw noted(error) }
        return CommitResult(version: version)
      }
      version = CommitVersion(version.rawValue &+ 1)
      try committing { () throws(StorageError) in _ = try connection.run("\(backend.place.raiseSQL); COMMIT") }
      return CommitResult(version: version)
    }

    private func commitConcurrently() throws(StorageError) -> CommitResult {
      guard case .view(let view) = base, let row else {
        throw StorageError(.corrupt, "the store has no row of its own")
      }
      let place = backend.place
      let (leave, end) = (place.leave(row), PostgreSQLStatement.command("COMMIT"))
      guard hasChanged else {
        do throws(StorageError) { _ = try pipeline([leave, end]) } catch { throw noted(error) }
        let version = try backend.version(of: base, on: connection)
        return CommitResult(version: version, previous: version)
      }
      var found: PostgreSQLCommitPlace?
      try committing { () throws(StorageError) in
        let statements = [leave, place.noteChange, end, place.versions(view)]
        do throws(StorageError) {
          guard let last = try connection.pipeline(statements).last else { return }
          found = try PostgreSQLCommitPlace(last)
        } catch {
          // The last statement is not of the transaction.
          guard !connection.isLost, connection.done >= statements.count - 1 else { throw error }
        }
      }
      if found?.isCountDue == true, !isEnded { connection.send(place.countSQL) }
      if let found { return found.result(isAlone: isAlone) }
      // Without a version, observers find the commit a little later.
      return CommitResult(version: (try? newestVersion()) ?? CommitVersion(0))
    }

    /// Commits, and finds out what became of the commit if the connection was lost.
    private func committing(_ body: () throws(StorageError) -> Void) throws(StorageError) {
      // Not to be had any more when the connection is gone.
      let (process, run) = (connection.process, connection.serverRun)
      do throws(StorageError) {
        try body()
      } catch {
        guard connection.isLost else { throw noted(error) }
        // The connection is given back before another is taken.
        finish()
        let outcome = backend.outcome(of: number, process: process, in: run)
        backend.pool.reporter?.report(.commitResolved(outcome))
        switch outcome {
        case .committed: break
        case .undone: throw backend.pool.loss(error)
        case .unknown: throw .lostWhileCommitting
        }
      }
      guard hasNewSchema else { return }
      backend.shared.adopt(state)
      if isConcurrent { backend.forgetLateChange() }
    }

    /// The version of the newest state, after a commit whose connection was lost.
    private func newestVersion() throws(StorageError) -> CommitVersion {
      let reader = try backend.beginRead()
      defer { reader.end() }
      return try reader.version()
    }

    func rollback() {
      guard !isEnded else { return }
      if !connection.isLost { _ = try? connection.run("ROLLBACK") }
      finish()
    }

    override func end() {
      rollback()
    }

    /// Gives the connection back, whose transaction is over.
    private func finish() {
      isEnded = true
      if hasTurn { backend.turns.subtract(1, ordering: .relaxed) }
      // Statements may have been prepared for tables that were undone.
      if hasNewSchema { connection.schemaVersion = nil }
      if connection.isInTransaction { connection.close() }
      backend.pool.give(connection)
    }

    // MARK: Savepoints

    // Savepoints of a caller are made and ended with the next statement, without a trip of their own.

    func savepoint() throws(StorageError) {
      try check()
      let name = newSavepoint()
      unsent.append(Self.making(name))
      savepoints.append((name, hasChanged, state, connection.cursors))
    }

    private static func making(_ savepoint: String) -> String { "SAVEPOINT \(savepoint)" }
    private static func ending(_ savepoint: String) -> String { "RELEASE SAVEPOINT \(savepoint)" }

    private func newSavepoint() -> String {
      namedSavepoints += 1
      return backend.server.savepoint(namedSavepoints)
    }

    func releaseSavepoint() throws(StorageError) {
      try check()
      guard let last = savepoints.popLast() else { throw .noSavepoint }
      if unsent.last == Self.making(last.name) {
        unsent.removeLast()
      } else {
        unsent.append(Self.ending(last.name))
      }
    }

    func rollbackSavepoint() throws(StorageError) {
      // An error since the savepoint is undone with it.
      forgetFailure()
      try check()
      guard let saved = savepoints.popLast() else { throw .noSavepoint }
      if let place = unsent.firstIndex(of: Self.making(saved.name)) {
        // Nothing was sent since.
        unsent.removeSubrange(place...)
      } else {
        // What waits are ends of savepoints in this one.
        unsent = []
        try undo(saved.name, cursors: saved.cursors)
      }
      hasChanged = saved.hasChanged
      if state !== saved.state { adopt(saved.state) }
    }

    /// Undoes what was done since a savepoint of the server, and ends it.
    private func undo(_ savepoint: String, cursors: Int) throws(StorageError) {
      losePortals(after: cursors)
      do throws(StorageError) {
        try connection.run("ROLLBACK TO SAVEPOINT \(savepoint); \(Self.ending(savepoint))")
      } catch {
        throw noted(error)
      }
    }

    /// Sends statements in one trip, and undoes what they have done when one fails.
    ///
    /// - Returns: The results of the statements.
    func protected(_ statements: [PostgreSQLStatement]) throws(StorageError) -> [PostgreSQLResult] {
      try protected(statements) { $0 }
    }

    /// Sends statements in one trip, and undoes what they have done when one fails or the body throws.
    ///
    /// - Parameter body: Receives the results of the statements.
    func protected<R>(
      _ statements: [PostgreSQLStatement], _ body: ([PostgreSQLResult]) throws(StorageError) -> R
    ) throws(StorageError) -> R {
      try inSavepoint { (before) throws(StorageError) in
        let all = before.map { PostgreSQLStatement.command($0) } + statements
        return try body(Array(try connection.pipeline(all).dropFirst(before.count)))
      }
    }

    /// Calls the body in a savepoint, which ends with the next statement.
    ///
    /// - Parameter body: Receives the commands that it sends before its first statement.
    private func inSavepoint<R>(_ body: ([String]) throws(StorageError) -> R) throws(StorageError) -> R {
      let name = newSavepoint()
      let cursors = connection.cursors
      do throws(StorageError) {
        let result = try body(takeUnsent() + [Self.making(name)])
        unsent.append(Self.ending(name))
        return result
      } catch {
        guard !connection.isLost, !backend.server.isConflict(error) else { throw noted(error) }
        forgetFailure()
        try undo(name, cursors: cursors)
        throw error
      }
    }

    /// Calls the body, and undoes what it has done when it throws.
    func atomically<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
      let name = newSavepoint()
      let cursors = connection.cursors
      _ = try query(.command(Self.making(name)))
      do throws(StorageError) {
        let result = try body()
        _ = try query(.command(Self.ending(name)))
        return result
      } catch {
        guard !connection.isLost, !backend.server.isConflict(error) else { throw noted(error) }
        forgetFailure()
        try undo(name, cursors: cursors)
        throw error
      }
    }

    /// Runs a copy, and undoes it when it fails or the body throws.
    ///
    /// - Parameters:
    ///   - next: Returns the next bytes of the copy; nil at its end.
    ///   - body: Receives the number of rows that the server has stored.
    func protectedCopy(
      _ sql: String, _ next: () throws(StorageError) -> [UInt8]?, _ body: (Int) throws(StorageError) -> Void
    ) throws(StorageError) {
      try inSavepoint { (before) throws(StorageError) in
        try body(try connection.copy((before + [sql]).joined(separator: "; "), next))
      }
    }

    // MARK: Schema

    func apply(_ change: SchemaChange) throws(StorageError) {
      try check()
      try backend.manifest.require(change.capability)
      guard portals.allSatisfy(\.isLost) else {
        throw StorageError(.iterationActive, "the schema cannot change while a cursor is open")
      }
      // What closes the cursors that have ended is sent before the tables change.
      _ = try pipeline([])
      if !isAlone { try becomeOnlyChanger() }
      let old = schema
      let new = try old.applying(change)
      if case .changeOptionality(let id, let slot, false) = change, let model = old.model(id: id) {
        try NilCheck.run(slot, model, in: self)
        _ = try pipeline([])
      }
      hasNewSchema = true
      let state: PostgreSQLSchemaState
      do throws(StorageError) {
        state = try atomically { () throws(StorageError) in
          let tables = PostgreSQLSchemaChange.locks(of: change, backend.place)
          try closeGate(tables)
          if !isAlone, !tables.isEmpty { try checkNothingWasMissed() }
          let maker = PostgreSQLSchemaChange(
            connection: connection, place: backend.place, old: old, new: new,
            columnLimit: backend.manifest.limits.properties ?? Int.max)
          try maker.make(change)
          try PostgreSQLSchemaStore.save(new, backend.place, connection)
          return try PostgreSQLSchemaState(new, in: backend.place)
        }
      } catch {
        guard error.code == .uniqueViolation, case .createIndex(let id, let index) = change,
          let model = old.model(id: id)
        else { throw error }
        throw UniqueClash.describe(index, model, in: self, error)
      }
      hasChanged = true
      adopt(state)
      // Plans of the tables as they were would fail.
      try connection.forgetStatementsInTransaction()
    }

    /// Waits for another of many writers that changes the schema. If it commits, this transaction conflicts with it.
    private func becomeOnlyChanger() throws(StorageError) {
      _ = try query(.command("SELECT 1 FROM \(backend.place.store) FOR UPDATE"))
    }

    /// Throws `conflict` if another transaction may have committed since the first look, whose rows the change would miss.
    ///
    /// The next attempt keeps other writers out from its beginning.
    private func checkNothingWasMissed() throws(StorageError) {
      let other = try backend.pool.take(deadline)
      defer { backend.pool.give(other) }
      if case .view(let view) = base, try other.run(backend.place.isOvertakenSQL(view)).text(0, 0) == "f" { return }
      backend.noteLateChange()
      throw noted(.overtaken)
    }

    /// Waits until no other transaction is inside, in short tries: a lock that waits stops all that come after it.
    ///
    /// A lock of a model's table alone would not do: a reader may have one table, and want the next that this transaction has.
    ///
    /// - Parameter tables: The tables that transactions lock when they begin, in their order.
    func closeGate(_ tables: [String]) throws(StorageError) {
      guard !tables.isEmpty else { return }
      let name = newSavepoint()
      while true {
        if backend.isClosed { throw .storeClosed }
        do throws(StorageError) {
          try connection.run("SAVEPOINT \(name); SET LOCAL lock_timeout = 100")
          try connection.run("LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
          try connection.run("RELEASE SAVEPOINT \(name); \(PostgreSQLBackend.lockTimeout(deadline))")
          return
        } catch {
          guard error.sqlState == "55P03" else { throw error }
          try connection.run("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
          guard !deadline.hasPassed else {
            throw StorageError(
              .busy, "open transactions or snapshots still read the old schema: end them, then try again",
              cause: error.cause)
          }
        }
        Thread.sleep(forTimeInterval: 0.005)
      }
    }

    // MARK: Limits

    /// Throws when a row is larger than the declared limit.
    func checkSizes(_ model: PostgreSQLModel, _ rows: borrowing RowBatch) throws(StorageError) {
      try rows.forEach { (_, row) throws(StorageError) in try checkSize(model, row) }
    }

    func checkSize(_ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer) throws(StorageError) {
      let limit = backend.manifest.limits.rowBytes ?? Int.max
      if row.count > limit {
        throw .limitExceeded("bytes of a row", limit: limit, actual: row.count, model: model.table.model.name)
      }
    }
  }
#endif
