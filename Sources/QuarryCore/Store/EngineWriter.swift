public import QuarryBackend

/// The engine's write transaction, as a ``WriteTransaction``, a migration and a copy use it.
///
/// It is one reference, and its calls are those of the engine. What a write transaction of the program's writes comes here
/// by way of its own calls about rows, which keep the references.
@usableFromInline
struct EngineWriter {
  @usableFromInline let engine: any BackendWriteTransaction

  init(_ engine: any BackendWriteTransaction) {
    self.engine = engine
  }

  // MARK: Rows

  /// Adds the rows; none is nothing to do.
  @inlinable
  func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    if rows.count > 0 { try engine.insert(model, rows) }
  }

  /// Adds many rows, batch by batch; after a throw only the rollback of the transaction can follow.
  func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try engine.load(model, next)
  }

  /// Adds or replaces the rows; none is nothing to do.
  ///
  /// - Returns: How many were added.
  @inlinable
  func upsert(_ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy) throws(StorageError) -> Int {
    rows.count > 0 ? try engine.upsert(model, rows, policy) : 0
  }

  /// The stored row with the primary key of this one, or nil when this one was added.
  @inlinable
  func getOrInsert(_ model: ModelID, _ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try engine.getOrInsert(model, row)
  }

  /// Replaces slots of a stored row, all when nil, if its bytes of the expected ones are still those.
  @inlinable
  func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]? = nil, expected: UnsafeRawBufferPointer? = nil,
    expectedSlots: [Int]? = nil
  ) throws(StorageError) {
    try engine.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
  }

  /// - Returns: How many rows there were.
  @inlinable
  func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try engine.delete(model, keys)
  }

  /// - Returns: Whether there was a row with the key.
  @inlinable
  func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try engine.delete(model, key: key)
  }

  /// - Returns: How many rows the query gave.
  @inlinable
  func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try engine.update(query, assignments)
  }

  /// - Returns: How many rows the query gave.
  @inlinable
  func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    try engine.delete(query)
  }

  // MARK: Schema

  func apply(_ change: SchemaChange) throws(StorageError) {
    try engine.apply(change)
  }

  // MARK: Savepoints and the end

  func savepoint() throws(StorageError) { try engine.savepoint() }
  func releaseSavepoint() throws(StorageError) { try engine.releaseSavepoint() }
  func rollbackSavepoint() throws(StorageError) { try engine.rollbackSavepoint() }

  func commit() throws(StorageError) -> CommitResult { try engine.commit() }
}
