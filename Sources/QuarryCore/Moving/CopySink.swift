import QuarryBackend

/// Stores the rows of one model that is copied, in transactions of some size.
final class CopySink {
  private let target: any Backend
  private let transactionBytes: Int
  private var transaction: (any BackendWriteTransaction)?
  private var made: ModelID?
  private var batch = RowBatch()
  /// Bytes that the open transaction has stored.
  private var bytes = 0

  init(_ target: any Backend, _ transactionBytes: Int) {
    self.target = target
    self.transactionBytes = transactionBytes
  }

  /// The open transaction.
  var writer: EngineWriter {
    get throws(StorageError) {
      guard let transaction else { throw .ended }
      return EngineWriter(transaction)
    }
  }

  func begin() throws(StorageError) {
    transaction = try target.beginWrite(WriteOptions())
    bytes = 0
  }

  func commit() throws(StorageError) {
    _ = try writer.commit()
    transaction = nil
  }

  /// Undoes what was not committed.
  func rollback() {
    transaction?.rollback()
    transaction = nil
  }

  /// Makes the model, unless it is there.
  ///
  /// - Returns: How many rows it has.
  func model(_ model: ModelSchema) throws(StorageError) -> Int {
    let writer = try writer
    if writer.engine.schema.model(named: model.name) == nil { try writer.apply(.createModel(model)) }
    guard let stored = writer.engine.schema.model(named: model.name) else { return 0 }
    made = stored.id
    return try writer.engine.count(BoundQuery(everyRowOf: stored))
  }

  func append(_ row: UnsafeRawBufferPointer) throws(StorageError) {
    batch.append(row)
    guard batch.byteCount >= Inserter.batchBytes else { return }
    try flush()
    guard bytes >= transactionBytes else { return }
    try commit()
    try begin()
  }

  func flush() throws(StorageError) {
    guard let made else { return }
    try writer.insert(made, batch)
    bytes += batch.byteCount
    batch.removeAll()
  }

  /// Makes an index of the source's model, whose slots have other places there.
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
