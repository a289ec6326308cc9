import QuarryBackend

/// A transaction that fulfils every requirement of the protocols itself, those with a default too, and notes each call.
final class NotingTransaction: SubqueryTransaction, RepairingWriteTransaction {
  private let notes: Notes

  init(_ notes: Notes) {
    self.notes = notes
  }

  var schema: Schema {
    notes.add("schema")
    return Schema()
  }

  var schemaVersion: UInt64 {
    notes.add("schemaVersion")
    return 1
  }

  func version() throws(StorageError) -> CommitVersion {
    notes.add(#function)
    return CommitVersion(1)
  }

  func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    notes.add(#function)
    return nil
  }

  func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    notes.add(#function)
  }

  func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    notes.add(#function)
    return []
  }

  func answers(_ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    notes.add(#function)
    return []
  }

  var failure: StorageError? {
    notes.add("failure")
    return nil
  }

  func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    notes.add(#function)
    return NotingCursor(notes)
  }

  func count(_ query: BoundQuery) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    notes.add(#function)
    return []
  }

  func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan {
    notes.add(#function)
    return QueryPlan(backend: "noting", access: [])
  }

  func decidesSubqueries(_ predicate: BoundPredicate, of model: ModelID) throws(StorageError) -> Bool {
    notes.add(#function)
    return true
  }

  func end() { notes.add(#function) }

  func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) { notes.add(#function) }

  func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    notes.add(#function)
  }

  func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    notes.add(#function)
    return nil
  }

  func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    notes.add(#function)
  }

  func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    notes.add(#function)
    return false
  }

  func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func savepoint() throws(StorageError) { notes.add(#function) }
  func releaseSavepoint() throws(StorageError) { notes.add(#function) }
  func rollbackSavepoint() throws(StorageError) { notes.add(#function) }
  func apply(_ change: SchemaChange) throws(StorageError) { notes.add(#function) }

  func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int {
    notes.add(#function)
    return 0
  }

  func correctDefinition(_ model: ModelID) throws(StorageError) -> [String] {
    notes.add(#function)
    return []
  }

  func changes() throws(StorageError) -> ChangeSet {
    notes.add(#function)
    return ChangeSet()
  }

  var capturedBytes: Int {
    notes.add("capturedBytes")
    return 0
  }

  func commit() throws(StorageError) -> CommitResult {
    notes.add(#function)
    return CommitResult(version: CommitVersion(1))
  }

  func rollback() { notes.add(#function) }
}
