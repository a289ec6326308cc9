/// A write transaction over another write transaction: each call is a call of its hooks.
///
/// - Complexity: Two more dynamic calls for each call.
public final class WriterLayer: BackendWriteTransaction, SubqueryTransaction, RepairingWriteTransaction {
  private let base: any BackendWriteTransaction
  private let hooks: any TransactionHooks

  /// Makes a layer over a write transaction.
  ///
  /// - Parameters:
  ///   - base: The transaction beneath.
  ///   - hooks: The calls that the layer makes instead, which belong to this transaction alone.
  public init(_ base: any BackendWriteTransaction, _ hooks: any TransactionHooks) {
    self.base = base
    self.hooks = hooks
  }

  // MARK: Reading

  public var schema: Schema { hooks.schema(base) }
  public var schemaVersion: UInt64 { hooks.schemaVersion(base) }
  public func version() throws(StorageError) -> CommitVersion { try hooks.version(base) }

  public func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try hooks.row(base, model, key)
  }

  public func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try hooks.rows(base, model, keys, body)
  }

  public func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try hooks.missing(base, model, keys)
  }

  public func answers(_ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try hooks.answers(base, questions)
  }

  public var failure: StorageError? { hooks.failure(base) }
  public func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor { try hooks.cursor(base, query) }
  public func count(_ query: BoundQuery) throws(StorageError) -> Int { try hooks.count(base, query) }

  public func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try hooks.aggregate(base, aggregate)
  }

  public func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try hooks.explain(base, query) }

  public func decidesSubqueries(_ predicate: BoundPredicate, of model: ModelID) throws(StorageError) -> Bool {
    try hooks.decidesSubqueries(base, predicate, of: model)
  }

  public func end() { hooks.end(base) }

  // MARK: Writing

  public func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try hooks.insert(base, model, rows)
  }

  public func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try hooks.load(base, model, next)
  }

  public func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try hooks.upsert(base, model, rows, policy)
  }

  public func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try hooks.getOrInsert(base, model, row)
  }

  public func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    let update = RowUpdate(model: model, row: row, slots: slots, expected: expected, expectedSlots: expectedSlots)
    try hooks.update(base, update)
  }

  public func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try hooks.delete(base, model, keys)
  }

  public func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try hooks.delete(base, model, key: key)
  }

  public func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try hooks.update(base, query, assignments)
  }

  public func delete(_ query: BoundQuery) throws(StorageError) -> Int { try hooks.delete(base, query) }
  public func savepoint() throws(StorageError) { try hooks.savepoint(base) }
  public func releaseSavepoint() throws(StorageError) { try hooks.releaseSavepoint(base) }
  public func rollbackSavepoint() throws(StorageError) { try hooks.rollbackSavepoint(base) }
  public func apply(_ change: SchemaChange) throws(StorageError) { try hooks.apply(base, change) }

  public func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    try hooks.removeUnreadableRows(base, model, keep)
  }

  public func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int {
    try hooks.correctDerivedValues(base, model)
  }

  public func correctDefinition(_ model: ModelID) throws(StorageError) -> [String] {
    try hooks.correctDefinition(base, model)
  }

  public func changes() throws(StorageError) -> ChangeSet { try hooks.changes(base) }

  /// The changes as they were captured, in place of a call of ``changes()``; nil where the layers have them in no other form.
  package func capturedChanges() throws(StorageError) -> CapturedChanges? {
    if let hooks = hooks as? CaptureHooks { return try hooks.take(base) }
    guard hooks is any ChangesOfBase, let base = base as? WriterLayer else { return nil }
    return try base.capturedChanges()
  }

  /// The transaction beneath, for writes to models of which nothing is captured; nil where a layer has to see these writes.
  package func beneath(writesTo models: ModelID...) -> (any BackendWriteTransaction)? {
    if let hooks = hooks as? CaptureHooks { return models.allSatisfy(hooks.ignores) ? base : nil }
    return nil
  }

  public var capturedBytes: Int { hooks.capturedBytes(base) }
  public func commit() throws(StorageError) -> CommitResult { try hooks.commit(base) }
  public func rollback() { hooks.rollback(base) }
}
