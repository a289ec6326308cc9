import QuarryBackend
import QuarryConformance

/// A sound backend behind a twist.
final class TwistedBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the twist is constant and Sendable.
  private let twist: any Twist
  private let letGo: @Sendable () -> Void
  private let hold: @Sendable () -> Void

  /// - Parameters:
  ///   - letGo: Lets go of what else holds the data, before they are destroyed or put aside.
  ///   - hold: Holds them again, where that was refused.
  init(
    _ backend: any Backend, _ twist: any Twist, letGo: @escaping @Sendable () -> Void,
    hold: @escaping @Sendable () -> Void
  ) {
    self.twist = twist
    self.letGo = letGo
    self.hold = hold
    super.init(backend)
  }

  override var manifest: BackendManifest { twist.manifest(inner) }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    TwistedReadTransaction(try twist.beginRead(inner), twist)
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    TwistedWriteTransaction(try twist.beginWrite(inner, options), twist)
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let reader = try beginRead()
    defer { reader.end() }
    guard let row = try reader.row(model, key) else { return false }
    try body(row)
    return true
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    TwistedSnapshot(try twist.snapshot(inner), twist)
  }

  override func compact() throws(StorageError) { try twist.compact(inner) }
  override func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try twist.backup(inner, to: path, progress)
  }

  override func check() throws(StorageError) -> [String] { try twist.check(inner) }
  override func statistics() throws(StorageError) -> BackendStatistics { try twist.statistics(inner) }

  override func quarantine() throws(StorageError) -> String {
    letGo()
    do throws(StorageError) {
      return try super.quarantine()
    } catch {
      hold()
      throw error
    }
  }

  override func destroy() throws(StorageError) {
    if twist.destroysData { letGo() }
    try twist.destroy(inner)
  }

  override func close() throws(StorageError) { try twist.close(inner) }
}

private final class TwistedSnapshot: ForwardingSnapshot, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; the twist is constant and Sendable.
  private let twist: any Twist

  init(_ snapshot: any BackendSnapshot, _ twist: any Twist) {
    self.twist = twist
    super.init(snapshot)
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    TwistedReadTransaction(try super.beginRead(), twist)
  }
}

private final class TwistedReadTransaction: ForwardingReadTransaction {
  private let twist: any Twist

  init(_ reader: any BackendReadTransaction, _ twist: any Twist) {
    self.twist = twist
    super.init(reader)
  }

  override var schema: Schema { twist.schema(inner) }
  override func version() throws(StorageError) -> CommitVersion { try twist.version(inner) }

  override func row(
    _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try twist.row(inner, model, key)
  }

  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try twist.rows(inner, model, keys, body)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try twist.cursor(inner, twist.query(query, schema))
  }

  override func count(_ query: BoundQuery) throws(StorageError) -> Int {
    try twist.count(inner, twist.query(query, schema))
  }

  override func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var aggregate = aggregate
    aggregate.rows = twist.query(aggregate.rows, schema)
    return try twist.aggregate(inner, aggregate)
  }

  override func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try twist.explain(inner, query) }
}

private final class TwistedWriteTransaction: ForwardingWriteTransaction {
  private let twist: any Twist
  private var hasEnded = false

  init(_ writer: any BackendWriteTransaction, _ twist: any Twist) {
    self.twist = twist
    super.init(writer: writer)
  }

  override var schema: Schema { twist.schema(inner) }
  override func version() throws(StorageError) -> CommitVersion { try twist.version(inner) }

  override func row(
    _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try twist.row(inner, model, key)
  }

  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try twist.rows(inner, model, keys, body)
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try twist.cursor(inner, twist.query(query, schema))
  }

  override func count(_ query: BoundQuery) throws(StorageError) -> Int {
    try twist.count(inner, twist.query(query, schema))
  }

  override func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var aggregate = aggregate
    aggregate.rows = twist.query(aggregate.rows, schema)
    return try twist.aggregate(inner, aggregate)
  }

  override func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan { try twist.explain(inner, query) }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try twist.insert(writer, model, rows)
  }

  override func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try twist.upsert(writer, model, rows, policy)
  }

  override func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try twist.getOrInsert(writer, model, row)
  }

  override func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    try twist.update(
      writer, RowUpdate(model: model, row: row, slots: slots, expected: expected, expectedSlots: expectedSlots))
  }

  override func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try twist.delete(writer, model, keys)
  }

  override func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try twist.update(writer, twist.query(query, schema), assignments)
  }

  override func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    try twist.delete(writer, twist.query(query, schema))
  }

  override func savepoint() throws(StorageError) { try twist.savepoint(writer) }
  override func releaseSavepoint() throws(StorageError) { try twist.releaseSavepoint(writer) }
  override func rollbackSavepoint() throws(StorageError) { try twist.rollbackSavepoint(writer) }
  override func apply(_ change: SchemaChange) throws(StorageError) { try twist.apply(writer, change) }

  override func commit() throws(StorageError) -> CommitResult {
    hasEnded = true
    return try twist.commit(writer)
  }

  override func rollback() {
    guard !hasEnded else { return }
    hasEnded = true
    twist.rollback(writer)
  }

  override func end() { rollback() }
}
