import QuarryBackend
import QuarryKeyValue

/// A backend that overwrites the rows that it has lent at the first moment that its protocols allow. Where it stands on an
/// engine of ordered trees, that one does the same with its bytes: see ``OverwritingEngine``.
final class OverwritingBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.

  /// Opens the place behind the decorators.
  static func open(_ place: any BackendProvider, _ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try place.open(options)
    guard let engine = backend as? any EngineBackend else { return OverwritingBackend(backend) }
    return OverwritingBackend(try behindDecorator(engine, options))
  }

  private static func behindDecorator(
    _ backend: some EngineBackend, _ options: OpenOptions
  ) throws(StorageError) -> any Backend {
    do throws(StorageError) {
      return try KeyValueBackend(OverwritingEngine(backend.engine), options: options)
    } catch {
      try? backend.close()
      throw error
    }
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    OverwritingReader(try inner.beginRead())
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    OverwritingWriter(writer: try inner.beginWrite(options))
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try inner.withRow(model, key) { row throws(StorageError) in
      let lent = LentBytes()
      defer { lent.overwrite() }
      try body(lent.lend(row))
    }
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    OverwritingBackendSnapshot(try inner.snapshot())
  }
}

private final class OverwritingBackendSnapshot: ForwardingSnapshot, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    OverwritingReader(try inner.beginRead())
  }
}

/// The rows that a transaction and its cursors have lent.
private final class LentRows {
  /// A cursor's rows, its model, and how many savepoints were open when it was made.
  private struct Cursor {
    let model: ModelID
    var depth: Int
    let lent: LentBytes
  }

  private let single = LentBytes()
  private var cursors: [Cursor] = []
  private var depth = 0

  /// Every call on the transaction ends what the last one lent.
  func call() { single.overwrite() }

  func lend(_ row: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? { row.map { single.lend($0) } }

  /// A write to a model, or to all of them.
  func write(_ model: ModelID? = nil) {
    call()
    for cursor in cursors where model == nil || cursor.model == model { cursor.lent.overwrite() }
  }

  func beginSavepoint() { depth += 1 }

  /// The end of a savepoint. Where its changes are undone the cursors that were made in it have ended.
  func endSavepoint(undone: Bool) {
    for place in cursors.indices where cursors[place].depth >= depth {
      if undone { cursors[place].lent.overwrite() }
      cursors[place].depth = max(0, depth - 1)
    }
    depth = max(0, depth - 1)
  }

  func cursor(_ inner: any RowCursor, _ model: ModelID) -> any RowCursor {
    call()
    let lent = LentBytes()
    if cursors.count > 64 { cursors.removeAll { $0.lent.isEmpty } }
    cursors.append(Cursor(model: model, depth: depth, lent: lent))
    return OverwritingRowCursor(inner, lent)
  }
}

private final class OverwritingRowCursor: ForwardingCursor {
  private let lent: LentBytes

  init(_ inner: any RowCursor, _ lent: LentBytes) {
    self.lent = lent
    super.init(inner)
  }

  deinit { lent.overwrite() }

  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    lent.overwrite()
    let count = try inner.fill(rows)
    for place in 0..<count { rows[place] = lent.lend(rows[place]) }
    return count
  }

  override func close() {
    lent.overwrite()
    inner.close()
  }
}

private final class OverwritingReader: ForwardingReadTransaction {
  private let lent = LentRows()

  override func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    lent.call()
    return lent.lend(try inner.row(model, key))
  }

  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try inner.rows(model, keys) { place, row throws(StorageError) in
      lent.call()
      try body(place, lent.lend(row))
    }
    lent.call()
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    lent.cursor(try inner.cursor(query), query.model)
  }

  override func count(_ query: BoundQuery) throws(StorageError) -> Int {
    lent.call()
    return try inner.count(query)
  }

  override func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    lent.call()
    return try inner.aggregate(aggregate)
  }

  override func end() {
    lent.write()
    super.end()
  }
}

private final class OverwritingWriter: ForwardingWriteTransaction {
  private let lent = LentRows()

  override func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    lent.call()
    return lent.lend(try writer.row(model, key))
  }

  override func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try writer.rows(model, keys) { place, row throws(StorageError) in
      lent.call()
      try body(place, lent.lend(row))
    }
    lent.call()
  }

  override func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    lent.cursor(try writer.cursor(query), query.model)
  }

  override func count(_ query: BoundQuery) throws(StorageError) -> Int {
    lent.call()
    return try writer.count(query)
  }

  override func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    lent.call()
    return try writer.aggregate(aggregate)
  }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    lent.write(model)
    try writer.insert(model, rows)
  }

  override func upsert(
    _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    lent.write(model)
    return try writer.upsert(model, rows, policy)
  }

  override func getOrInsert(
    _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    lent.call()
    let found = try writer.getOrInsert(model, row)
    if found == nil { lent.write(model) }
    return lent.lend(found)
  }

  override func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError) {
    lent.write(model)
    try writer.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
  }

  override func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    lent.write(model)
    return try writer.delete(model, keys)
  }

  override func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    lent.write(query.model)
    return try writer.update(query, assignments)
  }

  override func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    lent.write(query.model)
    return try writer.delete(query)
  }

  override func apply(_ change: SchemaChange) throws(StorageError) {
    lent.write()
    try writer.apply(change)
  }

  override func savepoint() throws(StorageError) {
    lent.call()
    try writer.savepoint()
    lent.beginSavepoint()
  }

  override func releaseSavepoint() throws(StorageError) {
    lent.call()
    try writer.releaseSavepoint()
    lent.endSavepoint(undone: false)
  }

  override func rollbackSavepoint() throws(StorageError) {
    lent.call()
    lent.endSavepoint(undone: true)
    try writer.rollbackSavepoint()
  }

  override func commit() throws(StorageError) -> CommitResult {
    lent.write()
    return try super.commit()
  }

  override func rollback() {
    lent.write()
    super.rollback()
  }

  override func end() {
    lent.write()
    super.end()
  }
}
