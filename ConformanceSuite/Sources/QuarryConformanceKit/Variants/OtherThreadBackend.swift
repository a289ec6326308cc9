import QuarryBackend

/// Runs every transaction on a thread of its own, from begin to end.
final class OtherThreadBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override var readsRowsInTransactions: Bool { true }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    try otherThreadReader { [base] () throws(StorageError) in try base.beginRead() }
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let hooks = ThreadHooks()
    return WriterLayer(try hooks.begin { [base] () throws(StorageError) in try base.beginWrite(options) }, hooks)
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    OtherThreadSnapshot(try base.snapshot())
  }
}

private final class OtherThreadSnapshot: SnapshotLayer, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    try otherThreadReader { [base] () throws(StorageError) in try base.beginRead() }
  }
}

private func otherThreadReader(
  _ begin: @escaping () throws(StorageError) -> any BackendReadTransaction
) throws(StorageError) -> any BackendReadTransaction {
  let hooks = ThreadHooks()
  return ReaderLayer(try hooks.begin(begin), hooks)
}

/// The thread of one transaction, on which all its calls run.
private final class ThreadHooks: TransactionHooks {
  /// A batch that a closure can hold.
  private final class Batch {
    var rows = RowBatch()

    init(_ source: borrowing RowBatch) throws(StorageError) {
      try source.forEach { (_, row) throws(StorageError) in rows.append(row) }
    }
  }

  private let thread = TransactionThread()

  deinit { thread.finish() }

  func begin<T>(_ body: @escaping () throws(StorageError) -> T) throws(StorageError) -> T {
    try thread.run(body)
  }

  func version(_ base: Reader) throws(StorageError) -> CommitVersion {
    try thread.run { () throws(StorageError) in try base.version() }
  }

  func row(
    _ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try thread.run { () throws(StorageError) in try base.row(model, key) }
  }

  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try lend(try thread.run { () throws(StorageError) in try copies(base, model, keys) }, body)
  }

  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try thread.run { () throws(StorageError) in try base.missing(model, keys) }
  }

  func changes(_ base: Writer) throws(StorageError) -> ChangeSet {
    try thread.run { () throws(StorageError) in try base.changes() }
  }

  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try answersByAsking(base, questions)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    OtherThreadCursor(try thread.run { () throws(StorageError) in try base.cursor(query) }, thread)
  }

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    try thread.run { () throws(StorageError) in try base.count(query) }
  }

  func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try thread.run { () throws(StorageError) in try base.aggregate(aggregate) }
  }

  func explain(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan {
    try thread.run { () throws(StorageError) in try base.explain(query) }
  }

  func decidesSubqueries(
    _ base: Reader, _ predicate: BoundPredicate, of model: ModelID
  ) throws(StorageError) -> Bool {
    guard let base = base as? any SubqueryTransaction else { return false }
    return try thread.run { () throws(StorageError) in try base.decidesSubqueries(predicate, of: model) }
  }

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let batch = try Batch(rows)
    try thread.run { () throws(StorageError) in try base.insert(model, batch.rows) }
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    let batch = try Batch(rows)
    return try thread.run { () throws(StorageError) in try base.upsert(model, batch.rows, policy) }
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try thread.run { () throws(StorageError) in try base.getOrInsert(model, row) }
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    try thread.run { () throws(StorageError) in try update.run(base) }
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try thread.run { () throws(StorageError) in try base.delete(model, keys) }
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try thread.run { () throws(StorageError) in try base.delete(model, key: key) }
  }

  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try thread.run { () throws(StorageError) in try base.update(query, assignments) }
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    try thread.run { () throws(StorageError) in try base.delete(query) }
  }

  func savepoint(_ base: Writer) throws(StorageError) {
    try thread.run { () throws(StorageError) in try base.savepoint() }
  }

  func releaseSavepoint(_ base: Writer) throws(StorageError) {
    try thread.run { () throws(StorageError) in try base.releaseSavepoint() }
  }

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    try thread.run { () throws(StorageError) in try base.rollbackSavepoint() }
  }

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    try thread.run { () throws(StorageError) in try base.apply(change) }
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    defer { thread.finish() }
    return try thread.run { () throws(StorageError) in try base.commit() }
  }

  func rollback(_ base: Writer) {
    try? thread.run { () throws(StorageError) in base.rollback() }
    thread.finish()
  }

  func end(_ base: Reader) {
    try? thread.run { () throws(StorageError) in base.end() }
    thread.finish()
  }
}

private final class OtherThreadCursor: CursorLayer {
  private let thread: TransactionThread

  init(_ base: any RowCursor, _ thread: TransactionThread) {
    self.thread = thread
    super.init(base)
  }

  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try thread.run { [base] () throws(StorageError) in try base.fill(rows) }
  }

  override func close() {
    try? thread.run { [base] () throws(StorageError) in base.close() }
  }
}

private func copies(
  _ transaction: any BackendReadTransaction, _ model: ModelID, _ keys: [Key]
) throws(StorageError) -> [(Int, [UInt8]?)] {
  var copies: [(Int, [UInt8]?)] = []
  try transaction.rows(model, keys) { (place, row) throws(StorageError) in copies.append((place, row.map { Array($0) }))
  }
  return copies
}

/// Gives copied rows to the body, in memory that is aligned as the engines' is.
private func lend(
  _ rows: [(Int, [UInt8]?)], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
) throws(StorageError) {
  for (place, row) in rows {
    guard let row else {
      try body(place, nil)
      continue
    }
    try lend(row) { (bytes) throws(StorageError) in try body(place, bytes) }
  }
}
