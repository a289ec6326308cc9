import QuarryBackend

/// In the place of an engine's transaction where a row is made before one is begun. ``WriteTransaction`` refuses the calls that
/// would come here, as it does while any row is made.
final class UnbegunTransaction: BackendWriteTransaction {
  var schema: Schema { Schema() }

  func version() throws(StorageError) -> CommitVersion { throw .ended }
  func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    throw .ended
  }
  func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) { throw .ended }
  func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor { throw .ended }
  func count(_ query: BoundQuery) throws(StorageError) -> Int { throw .ended }
  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] { throw .ended }
  func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { throw .ended }
  func end() {}

  func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) { throw .ended }
  func upsert(_ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy) throws(StorageError) -> Int {
    throw .ended
  }
  func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? { throw .ended }
  func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) { throw .ended }
  func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int { throw .ended }
  func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int { throw .ended }
  func delete(_ query: BoundQuery) throws(StorageError) -> Int { throw .ended }
  func savepoint() throws(StorageError) { throw .ended }
  func releaseSavepoint() throws(StorageError) { throw .ended }
  func rollbackSavepoint() throws(StorageError) { throw .ended }
  func apply(_ change: SchemaChange) throws(StorageError) { throw .ended }
  func commit() throws(StorageError) -> CommitResult { throw .ended }
  func rollback() {}
}
