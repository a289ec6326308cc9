import QuarryBackend

/// Stores the rows of one model that is copied, in transactions of some size.
final class CopySink {
  private let target: CopyTarget
  private let transactionBytes: Int
  private var write: CommitPipeline.OpenWrite?
  private var made: ModelID?
  private var batch = RowBatch()
  /// Bytes that the open transaction has stored.
  private var bytes = 0

  init(_ target: CopyTarget, _ transactionBytes: Int) {
    self.target = target
    self.transactionBytes = transactionBytes
  }

  /// The open transaction.
  private var writer: any BackendWriteTransaction {
    get throws(StorageError) {
      guard let write else { throw .ended }
      return write.transaction
    }
  }

  func begin() throws(StorageError) {
    write = try target.beginWrite()
    bytes = 0
  }

  /// Commits the stored rows, together with the progress of the copy.
  func commit(_ mark: UnfinishedMark) throws(StorageError) {
    try flush()
    try mark.write(try writer)
    guard let write else { throw .ended }
    self.write = nil
    try target.commit(write)
  }

  /// Undoes uncommitted writes.
  func rollback() {
    if let write { target.rollback(write) }
    write = nil
  }

  /// Creates the model, unless it exists.
  ///
  /// - Returns: The number of its rows.
  func model(_ model: ModelSchema) throws(StorageError) -> Int {
    let writer = try writer
    if writer.schema.model(named: model.name) == nil { try SequenceTable.apply(.createModel(model), writer) }
    guard let stored = writer.schema.model(named: model.name) else { return 0 }
    made = stored.id
    return try writer.count(BoundQuery(everyRowOf: stored))
  }

  /// - Parameter mark: The progress of the copy with the row.
  func append(_ row: UnsafeRawBufferPointer, _ mark: @autoclosure () -> UnfinishedMark) throws(StorageError) {
    batch.append(row)
    guard batch.byteCount >= Inserter.batchBytes else { return }
    try flush()
    guard bytes >= transactionBytes else { return }
    try commit(mark())
    try begin()
  }

  func flush() throws(StorageError) {
    guard let made else { return }
    if batch.count > 0 { try writer.insert(made, batch) }
    bytes += batch.byteCount
    batch.removeAll()
  }

  /// Creates an index of the source's model, whose slots have other places there.
  func make(_ index: IndexSchema, of model: ModelSchema) throws(StorageError) {
    guard let made else { return }
    var placed = index
    placed.columns = index.columns.map { column in
      let dropped = model.properties[..<column.slot].count { $0.isDropped }
      return IndexSchema.Column(slot: column.slot - dropped, isDescending: column.isDescending)
    }
    try writer.apply(.createIndex(made, placed))
  }
}
