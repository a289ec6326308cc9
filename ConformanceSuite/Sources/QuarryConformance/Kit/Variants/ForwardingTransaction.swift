public import QuarryBackend

/// A read transaction that hands every call on to another.
open class ForwardingReadTransaction: BackendReadTransaction {
  public let inner: any BackendReadTransaction

  public init(_ inner: any BackendReadTransaction) {
    self.inner = inner
  }

  open var schema: Schema { inner.schema }
  open func version() throws(StorageError) -> CommitVersion { try inner.version() }

  open func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try inner.row(model, key)
  }

  open func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try inner.rows(model, keys, body)
  }

  open func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor { try inner.cursor(query) }
  open func count(_ query: BoundQuery) throws(StorageError) -> Int { try inner.count(query) }

  open func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try inner.aggregate(aggregate)
  }

  open func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try inner.explain(query) }
  open func end() { inner.end() }
}

/// A write transaction that hands every call on to another.
open class ForwardingWriteTransaction: ForwardingReadTransaction, BackendWriteTransaction {
  public let writer: any BackendWriteTransaction

  public init(_ writer: any BackendWriteTransaction) {
    self.writer = writer
    super.init(writer)
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
  open func apply(_ change: SchemaChange) throws(StorageError) { try writer.apply(change) }
  open func commit() throws(StorageError) -> CommitResult { try writer.commit() }
  open func rollback() { writer.rollback() }
}
