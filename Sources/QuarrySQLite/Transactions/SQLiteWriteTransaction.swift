import CSQLite
import QuarryBackend

/// The write transaction, begun with `BEGIN IMMEDIATE` on a connection of its own.
///
/// A call that makes several changes makes them inside a savepoint of its own, so that it leaves nothing behind when it
/// fails.
final class SQLiteWriteTransaction: SQLiteReadTransaction, DirectWriteTransaction {
  /// Whether anything was changed.
  @exclusivity(unchecked) var hasChanged = false
  /// Whether the schema differs from the stored one, which the commit replaces: once, however many changes there were.
  private var hasUnsavedSchema = false
  /// The state that a rollback of each open savepoint restores.
  private var savepoints: [(hasChanged: Bool, hasUnsavedSchema: Bool, models: SQLiteModels, leases: Int)] = []

  deinit {
    rollback()
  }

  /// Some errors make SQLite roll the whole transaction back: it has ended then.
  override func noted(_ error: StorageError) -> StorageError {
    if !isEnded, !connection.isInTransaction { finish() }
    return error
  }

  /// The models of this transaction, once it is known that it can be used.
  @inline(__always)
  func usableModel(_ id: ModelID) throws(StorageError) -> SQLiteModel {
    try check()
    return try models.model(id)
  }

  func capturedModel(_ model: ModelID) -> (layout: RowLayout, isSequences: Bool)? {
    do throws(StorageError) {
      let table = try models.model(model).table
      return (table.layout, table.model.isSequences)
    } catch {
      return nil
    }
  }

  // MARK: End

  func commit() throws(StorageError) -> CommitResult {
    try check()
    connection.endLeases()
    do throws(StorageError) {
      var version = base
      if hasChanged {
        try connection.requireInPlace(at: backend.file.path)
        if backend.needsMending.load(ordering: .relaxed) {
          try connection.mendSlots(backend.file)
          backend.needsMending.store(false, ordering: .relaxed)
        }
        if hasUnsavedSchema { try SQLiteSchemaStore.save(schema, connection) }
        version = CommitVersion(base.rawValue &+ 1)
        let raise = try connection.statement(.raise)
        try raise.bind(1, Int64(bitPattern: version.rawValue))
        try raise.run()
      }
      try connection.run(SQLiteConnection.Fixed.commit)
      connection.hasNewTables = false
      if hasUnsavedSchema { backend.shared.adopt(models.state) }
      finish()
      return CommitResult(version: version)
    } catch {
      rollback()
      throw error
    }
  }

  func rollback() {
    guard !isEnded else { return }
    connection.endLeases()
    connection.rollBack()
    // The schema may have been changed in what was undone.
    if hasChanged { connection.models = nil }
    finish()
  }

  override func end() {
    rollback()
  }

  /// Releases the connection, whose transaction is over.
  private func finish() {
    isEnded = true
    connection.endLeases()
    if connection.isInTransaction { connection.rollBack() }
    if connection.models !== models { connection.models = nil }
    backend.endWrite(connection)
  }

  // MARK: Savepoints

  func savepoint() throws(StorageError) {
    try check()
    do throws(StorageError) { try connection.run(SQLiteConnection.Fixed.savepoint) } catch { throw noted(error) }
    savepoints.append((hasChanged, hasUnsavedSchema, models, connection.leaseCount))
  }

  func releaseSavepoint() throws(StorageError) {
    try check()
    guard !savepoints.isEmpty else { throw .noSavepoint }
    do throws(StorageError) { try connection.run(SQLiteConnection.Fixed.release) } catch { throw noted(error) }
    savepoints.removeLast()
  }

  func rollbackSavepoint() throws(StorageError) {
    try check()
    guard let state = savepoints.popLast() else { throw .noSavepoint }
    do throws(StorageError) {
      try connection.rollBack(.rollbackTo, .release, leases: state.leases)
    } catch {
      throw noted(error)
    }
    hasChanged = state.hasChanged
    hasUnsavedSchema = state.hasUnsavedSchema
    models = state.models
    connection.models = state.models
  }

  /// Calls the body, and undoes what it has done when it throws.
  func atomically<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
    let leases = connection.leaseCount
    try connection.run(SQLiteConnection.Fixed.statementSavepoint)
    do throws(StorageError) {
      let result = try body()
      try connection.run(SQLiteConnection.Fixed.statementRelease)
      return result
    } catch {
      if connection.isInTransaction {
        do throws(StorageError) {
          try connection.rollBack(.statementRollbackTo, .statementRelease, leases: leases)
        } catch {
          // A half-done change must not be committed.
          connection.rollBack()
        }
      }
      throw noted(error)
    }
  }

  /// Whether nothing was changed so far and nothing else uses the transaction, so that ``beginAgain()`` undoes no more than
  /// what a statement has done.
  var canBeginAgain: Bool { !hasChanged && savepoints.isEmpty && connection.leases.isEmpty }

  /// Undoes the changes of a statement, the first that changes anything, with the whole transaction, and begins the transaction
  /// again.
  ///
  /// It has ended where another process has committed in between, because data read before may be old then.
  func beginAgain() {
    connection.rollBack()
    do throws(StorageError) {
      try connection.run(SQLiteConnection.Fixed.beginImmediate)
      let (models, version) = try connection.readState(backend.shared)
      if version != base || models !== self.models { connection.rollBack() }
    } catch {
      connection.rollBack()
    }
  }

  // MARK: Schema

  func apply(_ change: SchemaChange) throws(StorageError) {
    try check()
    try backend.manifest.require(change.capability)
    guard connection.leases.isEmpty else {
      throw StorageError(.iterationActive, "the schema cannot change while a cursor is open")
    }
    let old = schema
    let new = try old.applying(change)
    if case .changeOptionality(let id, let slot, false) = change, let model = old.model(id: id) {
      try NilCheck.run(slot, model, in: self)
    }
    let limit = backend.manifest.limits.properties ?? Int.max
    connection.hasNewTables = true
    let state: SQLiteSchemaState
    do throws(StorageError) {
      state = try atomically { () throws(StorageError) in
        let maker = SQLiteSchemaChange(connection: connection, old: old, new: new, columnLimit: limit)
        try maker.make(change)
        return try SQLiteSchemaState(new, after: models.state)
      }
    } catch {
      guard error.code == .uniqueViolation, case .createIndex(let id, let index) = change,
        let model = old.model(id: id)
      else { throw error }
      throw UniqueClash.describe(index, model, in: self, error)
    }
    hasChanged = true
    hasUnsavedSchema = true
    models = SQLiteModels(state)
    connection.models = models
  }

  // MARK: Limits

  /// Throws when a row is larger than the declared limit.
  func checkSizes(_ model: SQLiteModel, _ rows: borrowing RowBatch) throws(StorageError) {
    let limit = backend.manifest.limits.rowBytes ?? Int.max
    guard rows.byteCount > limit else { return }
    try rows.forEach { (_, row) throws(StorageError) in try checkSize(model, row) }
  }

  func checkSize(_ model: SQLiteModel, _ row: UnsafeRawBufferPointer) throws(StorageError) {
    let limit = backend.manifest.limits.rowBytes ?? Int.max
    if row.count > limit {
      throw .limitExceeded("bytes of a row", limit: limit, actual: row.count, model: model.table.model.name)
    }
  }
}
