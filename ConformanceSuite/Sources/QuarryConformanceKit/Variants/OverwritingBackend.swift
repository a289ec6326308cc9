import QuarryBackend
import QuarryKeyValue

/// A backend that overwrites the rows that it has lent at the first moment that its protocols allow. Where it stands on an
/// engine of ordered trees, that one does the same with its bytes: see ``OverwritingEngine``.
final class OverwritingBackend: BackendLayer, @unchecked Sendable {
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

  override func readHooks() -> (any TransactionHooks)? { OverwritingHooks() }
  override func writeHooks() -> (any TransactionHooks)? { OverwritingHooks() }
  override var readsRowsInTransactions: Bool { false }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try base.withRow(model, key) { row throws(StorageError) in
      let lent = LentBytes()
      defer { lent.overwrite() }
      try body(lent.lend(row))
    }
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    try base.withRow(model, key, schema: version) { row throws(StorageError) in
      let lent = LentBytes()
      defer { lent.overwrite() }
      try body(lent.lend(row))
    }
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

  func cursor(_ cursor: any RowCursor, _ model: ModelID) -> any RowCursor {
    call()
    let lent = LentBytes()
    if cursors.count > 64 { cursors.removeAll { $0.lent.isEmpty } }
    cursors.append(Cursor(model: model, depth: depth, lent: lent))
    return OverwritingRowCursor(cursor, lent)
  }
}

private final class OverwritingRowCursor: CursorLayer {
  private let lent: LentBytes

  init(_ base: any RowCursor, _ lent: LentBytes) {
    self.lent = lent
    super.init(base)
  }

  deinit { lent.overwrite() }

  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    lent.overwrite()
    let count = try base.fill(rows)
    for place in 0..<count { rows[place] = lent.lend(rows[place]) }
    return count
  }

  override func close() {
    lent.overwrite()
    base.close()
  }
}

private final class OverwritingHooks: TransactionHooks {
  private let lent = LentRows()

  func row(_ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    lent.call()
    return lent.lend(try base.row(model, key))
  }

  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try base.rows(model, keys) { place, row throws(StorageError) in
      lent.call()
      try body(place, lent.lend(row))
    }
    lent.call()
  }

  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    lent.call()
    return try base.missing(model, keys)
  }

  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try answersByAsking(base, questions)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    lent.cursor(try base.cursor(query), query.model)
  }

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    lent.call()
    return try base.count(query)
  }

  func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    lent.call()
    return try base.aggregate(aggregate)
  }

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    lent.write(model)
    try base.insert(model, rows)
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    lent.write(model)
    return try base.upsert(model, rows, policy)
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    lent.call()
    let found = try base.getOrInsert(model, row)
    if found == nil { lent.write(model) }
    return lent.lend(found)
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    lent.write(update.model)
    try update.run(base)
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    lent.write(model)
    return try base.delete(model, keys)
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    lent.write(model)
    return try base.delete(model, key: key)
  }

  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    lent.write(query.model)
    return try base.update(query, assignments)
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    lent.write(query.model)
    return try base.delete(query)
  }

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    lent.write()
    try base.apply(change)
  }

  func savepoint(_ base: Writer) throws(StorageError) {
    lent.call()
    try base.savepoint()
    lent.beginSavepoint()
  }

  func releaseSavepoint(_ base: Writer) throws(StorageError) {
    lent.call()
    try base.releaseSavepoint()
    lent.endSavepoint(undone: false)
  }

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    lent.call()
    lent.endSavepoint(undone: true)
    try base.rollbackSavepoint()
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    lent.write()
    return try base.commit()
  }

  func rollback(_ base: Writer) {
    lent.write()
    base.rollback()
  }

  func end(_ base: Reader) {
    lent.write()
    base.end()
  }
}
