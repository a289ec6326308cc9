package import QuarryBackend

/// The write transaction of an engine as a backend's.
///
/// A statement that may fail midway runs inside a savepoint of the engine. One that writes a single row finds out
/// first whether it may, and needs none. If the engine itself fails between two writes of such a statement (a full
/// disk), the transaction can only be rolled back: it throws that error from then on.
package final class KeyValueBackendWriteTransaction<Transaction: KeyValueWriteTransaction>:
  KeyValueBackendReadTransaction<Transaction>, DirectWriteTransaction
{
  private let room: StatementRoom
  // The room's, without a reference to count for each row.
  let entries: IndexEntries
  let removals: EntryList
  let additions: EntryList
  /// The merger for rows of the table that was written to last.
  @exclusivity(unchecked) private var lastMerger: (layout: RowLayout, merger: RowMerger)?
  /// What a rollback of each open savepoint restores, and its moment.
  private var savepoints: [(schema: SchemaState, hasChangedSchema: Bool, moment: Int)] = []
  /// Whether the schema differs from the stored one, which the commit replaces: once, however many changes there were.
  private var hasChangedSchema = false

  /// Required for the same reason as that of ``KeyValueBackendReader``.
  required override init(
    _ transaction: Transaction, _ store: StoreState, schemaVersion: UInt64? = nil, snapshot: SnapshotState? = nil
  ) {
    room = store.spareRoom.take() ?? StatementRoom()
    entries = room.entries
    removals = room.removals
    additions = room.additions
    super.init(transaction, store, schemaVersion: schemaVersion, snapshot: snapshot)
  }

  deinit {
    if room.isSmall { store.spareRoom.keep(room) }
  }

  /// The merger that combines and compares rows of the table, kept from call to call.
  func merger(_ table: Table) -> RowMerger {
    if let lastMerger, lastMerger.layout === table.layout { return lastMerger.merger }
    let merger = RowMerger(table.layout)
    lastMerger = (table.layout, merger)
    return merger
  }

  package func capturedModel(_ model: ModelID) -> (layout: RowLayout, isSequences: Bool)? {
    do throws(StorageError) {
      let table = try tables().table(model)
      return (table.layout, table.model.isSequences)
    } catch {
      return nil
    }
  }

  // MARK: Atomic statements

  /// Runs a statement of several writes, and undoes all of it when it throws.
  func atomically<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
    try transaction.savepoint()
    do throws(StorageError) {
      let result = try body()
      try transaction.releaseSavepoint()
      return result
    } catch {
      do throws(StorageError) { try transaction.rollbackSavepoint() } catch let second { state.fail(second) }
      throw error
    }
  }

  /// Runs the writes of a statement that was found to be allowed.
  ///
  /// Only the engine can fail here, and then completed writes cannot be told from missing ones.
  func writing<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      state.fail(error)
      throw error
    }
  }

  // MARK: Savepoints

  package func savepoint() throws(StorageError) {
    let schema = try tables()
    try transaction.savepoint()
    savepoints.append((schema, hasChangedSchema, state.savepoint()))
  }

  package func releaseSavepoint() throws(StorageError) {
    try checkSavepoint()
    try transaction.releaseSavepoint()
    savepoints.removeLast()
  }

  package func rollbackSavepoint() throws(StorageError) {
    try checkSavepoint()
    let (schema, hasChanged, moment) = savepoints.removeLast()
    state.didRollBack(to: moment)
    do throws(StorageError) {
      try transaction.rollbackSavepoint()
    } catch {
      state.fail(error)
      throw error
    }
    schemaState = schema
    hasChangedSchema = hasChanged
  }

  /// Whether a savepoint is open, so that the engine notes what is undone with it.
  var hasSavepoint: Bool { !savepoints.isEmpty }

  private func checkSavepoint() throws(StorageError) {
    try state.check()
    if savepoints.isEmpty { throw .noSavepoint }
  }

  // MARK: Schema

  override var writes: Bool { true }

  /// Nothing is noted: the state that the transaction began with may still fail to become durable.
  override func didRead(schemaVersion: UInt64) {}

  /// Continues with a schema, which the commit stores.
  func changeSchema(_ schema: SchemaState) {
    schemaState = schema
    hasChangedSchema = true
  }

  // MARK: End

  package func commit() throws(StorageError) -> CommitResult {
    do throws(StorageError) {
      try state.check()
      if hasChangedSchema, let schemaState {
        try SchemaRecord.write(schemaState.schema, keyLimit: store.longKeys?.limit, in: transaction)
      }
      let version = try transaction.commit()
      state.end()
      if let schemaState {
        if hasChangedSchema { store.keep(schemaState) }
        // So that no read of the new state has to look for it.
        store.note(schemaVersion: schemaState.schema.version, at: version)
      }
      return CommitResult(version: version)
    } catch {
      // After a commit that failed, the transaction cannot continue.
      end()
      throw error
    }
  }

  package func rollback() {
    end()
  }
}
