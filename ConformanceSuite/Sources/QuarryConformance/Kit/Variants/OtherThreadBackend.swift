import QuarryBackend

/// Runs every transaction on a thread of its own, from begin to end.
final class OtherThreadBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let inner = inner
    return try OtherThreadReadTransaction { () throws(StorageError) in try inner.beginRead() }
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let inner = inner
    return try OtherThreadWriteTransaction { () throws(StorageError) in try inner.beginWrite(options) }
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let transaction = try beginRead()
    defer { transaction.end() }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    OtherThreadSnapshot(try inner.snapshot())
  }
}

private final class OtherThreadSnapshot: ForwardingSnapshot, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let inner = inner
    return try OtherThreadReadTransaction { () throws(StorageError) in try inner.beginRead() }
  }
}

private final class OtherThreadReadTransaction: ForwardingReadTransaction {
  private let thread: TransactionThread

  init(_ begin: @escaping () throws(StorageError) -> any BackendReadTransaction) throws(StorageError) {
    let thread = TransactionThread()
    self.thread = thread
    do throws(StorageError) {
      super.init(try thread.run(begin))
    } catch {
      thread.finish()
      throw error
    }
  }

  deinit { thread.finish() }

  override var schema: Schema { inner.schema }

  override func version() throws(StorageError) -> CommitVersion {
    try thread.run { [inner] () throws(StorageError) in try inner.version() }
  }

  override func row(
    _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try thread.run { [inner] () throws(StorageError) in try inner.row(model, key) }
  }

  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try lend(try thread.run { [inner] () throws(StorageError) in try copies(inner, model, keys) }, body)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    OtherThreadCursor(try thread.run { [inner] () throws(StorageError) in try inner.cursor(query) }, thread)
  }

  override func count(_ query: BoundQuery) throws(StorageError) -> Int {
    try thread.run { [inner] () throws(StorageError) in try inner.count(query) }
  }

  override func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try thread.run { [inner] () throws(StorageError) in try inner.aggregate(aggregate) }
  }

  override func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan {
    try thread.run { [inner] () throws(StorageError) in try inner.explain(query) }
  }

  override func end() {
    try? thread.run { [inner] () throws(StorageError) in inner.end() }
    thread.finish()
  }
}

private final class OtherThreadWriteTransaction: ForwardingWriteTransaction {
  /// A batch that a closure can hold.
  private final class Batch {
    var rows = RowBatch()

    init(_ source: borrowing RowBatch) throws(StorageError) {
      try source.forEach { (_, row) throws(StorageError) in rows.append(row) }
    }
  }

  private let thread: TransactionThread

  init(_ begin: @escaping () throws(StorageError) -> any BackendWriteTransaction) throws(StorageError) {
    let thread = TransactionThread()
    self.thread = thread
    do throws(StorageError) {
      super.init(writer: try thread.run(begin))
    } catch {
      thread.finish()
      throw error
    }
  }

  deinit { thread.finish() }

  override func version() throws(StorageError) -> CommitVersion {
    try thread.run { [inner] () throws(StorageError) in try inner.version() }
  }

  override func row(
    _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try thread.run { [inner] () throws(StorageError) in try inner.row(model, key) }
  }

  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try lend(try thread.run { [inner] () throws(StorageError) in try copies(inner, model, keys) }, body)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    OtherThreadCursor(try thread.run { [inner] () throws(StorageError) in try inner.cursor(query) }, thread)
  }

  override func count(_ query: BoundQuery) throws(StorageError) -> Int {
    try thread.run { [inner] () throws(StorageError) in try inner.count(query) }
  }

  override func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try thread.run { [inner] () throws(StorageError) in try inner.aggregate(aggregate) }
  }

  override func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan {
    try thread.run { [inner] () throws(StorageError) in try inner.explain(query) }
  }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    let batch = try Batch(rows)
    try thread.run { [writer] () throws(StorageError) in try writer.insert(model, batch.rows) }
  }

  override func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    let batch = try Batch(rows)
    return try thread.run { [writer] () throws(StorageError) in try writer.upsert(model, batch.rows, policy) }
  }

  override func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try thread.run { [writer] () throws(StorageError) in try writer.getOrInsert(model, row) }
  }

  override func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    try thread.run { [writer] () throws(StorageError) in
      try writer.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
    }
  }

  override func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try thread.run { [writer] () throws(StorageError) in try writer.delete(model, keys) }
  }

  override func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try thread.run { [writer] () throws(StorageError) in try writer.update(query, assignments) }
  }

  override func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    try thread.run { [writer] () throws(StorageError) in try writer.delete(query) }
  }

  override func savepoint() throws(StorageError) {
    try thread.run { [writer] () throws(StorageError) in try writer.savepoint() }
  }

  override func releaseSavepoint() throws(StorageError) {
    try thread.run { [writer] () throws(StorageError) in try writer.releaseSavepoint() }
  }

  override func rollbackSavepoint() throws(StorageError) {
    try thread.run { [writer] () throws(StorageError) in try writer.rollbackSavepoint() }
  }

  override func apply(_ change: SchemaChange) throws(StorageError) {
    try thread.run { [writer] () throws(StorageError) in try writer.apply(change) }
  }

  override func commit() throws(StorageError) -> CommitResult {
    defer { thread.finish() }
    return try thread.run { [writer] () throws(StorageError) in try writer.commit() }
  }

  override func rollback() {
    try? thread.run { [writer] () throws(StorageError) in writer.rollback() }
    thread.finish()
  }

  override func end() {
    try? thread.run { [writer] () throws(StorageError) in writer.end() }
    thread.finish()
  }
}

private final class OtherThreadCursor: ForwardingCursor {
  private let thread: TransactionThread

  init(_ inner: any RowCursor, _ thread: TransactionThread) {
    self.thread = thread
    super.init(inner)
  }

  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try thread.run { [inner] () throws(StorageError) in try inner.fill(rows) }
  }

  override func close() {
    try? thread.run { [inner] () throws(StorageError) in inner.close() }
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
