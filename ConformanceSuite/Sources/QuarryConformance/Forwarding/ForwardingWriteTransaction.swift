public import QuarryBackend

/// A write transaction that hands every call on to another. What wraps an engine overrides the calls that it changes.
open class ForwardingWriteTransaction: ForwardingReadTransaction, RepairingWriteTransaction {
  public let writer: any BackendWriteTransaction

  /// - Parameter onEnd: Is called once, when the transaction has ended in any way.
  public init(writer: any BackendWriteTransaction, onEnd: @escaping () -> Void = {}) {
    self.writer = writer
    super.init(writer, onEnd: onEnd)
  }

  open func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try writer.insert(model, rows)
  }

  open func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try writer.upsert(model, rows, policy)
  }

  open func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try writer.getOrInsert(model, row)
  }

  open func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    try writer.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
  }

  open func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int { try writer.delete(model, keys) }

  open func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try writer.update(query, assignments)
  }

  open func delete(_ query: BoundQuery) throws(StorageError) -> Int { try writer.delete(query) }

  open func savepoint() throws(StorageError) { try writer.savepoint() }
  open func releaseSavepoint() throws(StorageError) { try writer.releaseSavepoint() }
  open func rollbackSavepoint() throws(StorageError) { try writer.rollbackSavepoint() }

  open func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    guard let writer = writer as? any RepairingWriteTransaction else {
      throw .unsupported(.repair, "the backend takes out no rows")
    }
    return try writer.removeUnreadableRows(model, keep)
  }

  open func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int {
    try (writer as? any RepairingWriteTransaction)?.correctDerivedValues(model) ?? 0
  }

  open func apply(_ change: SchemaChange) throws(StorageError) { try writer.apply(change) }

  open func commit() throws(StorageError) -> CommitResult {
    defer { ended() }
    return try writer.commit()
  }

  open func rollback() {
    writer.rollback()
    ended()
  }
}
