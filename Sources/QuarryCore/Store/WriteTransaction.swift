public import QuarryBackend

/// The write transaction of a store, for the time of a closure: see ``Store/write(timeout:_:)-swift.method``.
///
/// Each call is atomic: when it throws, nothing of it stays, and the transaction can be used on. Reads see what was
/// written before.
public final class WriteTransaction: ReadTransaction {
  @usableFromInline let writer: any BackendWriteTransaction
  /// Writers of rows, by ``AnyModelDefinition/number``.
  @exclusivity(unchecked) private var rowWriters: [RowWriter?] = []
  @usableFromInline var batch = RowBatch()
  /// The slots of the last update by assignments of values.
  @exclusivity(unchecked) var assignedSlots: [Int] = []
  /// Room for the row of an update, kept between updates.
  @exclusivity(unchecked) var spareRowBuffer: RowBuffer?
  /// How many streams are open over each model.
  @exclusivity(unchecked) @usableFromInline var streams: [ModelID: Int] = [:]

  init(_ store: Store, _ writer: any BackendWriteTransaction) {
    self.writer = writer
    super.init(store, writer)
  }

  func commit() throws(StorageError) {
    try check()
    isEnded = true
    _ = try writer.commit()
  }

  /// Runs the body in a savepoint: when it throws, what it wrote is undone, and the transaction goes on. Savepoints nest.
  ///
  /// - Returns: What the body returns.
  @discardableResult
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try check()
    try writer.savepoint()
    let result: R
    do {
      result = try body()
    } catch {
      try check()
      try writer.rollbackSavepoint()
      throw error
    }
    try check()
    try writer.releaseSavepoint()
    return result
  }

  // MARK: - What every write does first

  /// Throws unless the model may be written to here and now.
  @inlinable
  func checkWrite(_ model: ModelID) throws(StorageError) {
    try check()
    if !streams.isEmpty { try checkStreams(model) }
  }

  @usableFromInline
  func checkStreams(_ model: ModelID) throws(StorageError) {
    if streams[model] != nil {
      throw StorageError(.iterationActive, "a stream over the model is open in this transaction")
    }
  }

  var streamsAreClosed: Bool { streams.isEmpty }

  func beginStream(_ model: ModelID) { streams[model, default: 0] += 1 }

  func endStream(_ model: ModelID) {
    guard let count = streams[model] else { return }
    streams[model] = count > 1 ? count - 1 : nil
  }

  @usableFromInline
  func rowWriter(_ binding: ModelBinding, _ number: Int) -> RowWriter {
    while rowWriters.count <= number { rowWriters.append(nil) }
    if let writer = rowWriters[number] { return writer }
    let writer = RowWriter(binding.layout)
    rowWriters[number] = writer
    return writer
  }

  /// The row of an object, valid until the next one is made, with the store's limits checked.
  @inlinable
  func encode<M: Model>(_ object: M, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer {
    let writer = rowWriter(binding, M.modelDefinition.number)
    writer.begin()
    try object.write(to: ModelWriter(writer, binding))
    let row = try finish(writer, binding)
    if limitsKeys { try store.limits.checkKey(object.primaryKeyValue, binding) }
    return row
  }

  /// The row that the writer has, checked.
  @usableFromInline
  func finish(_ writer: RowWriter, _ binding: ModelBinding) throws(StorageError) -> UnsafeRawBufferPointer {
    let row = try writer.finish()
    try binding.checkComplete(RowView(row, binding.layout))
    try store.limits.checkRow(row, binding)
    return row
  }

  @usableFromInline var limitsKeys: Bool { store.limits.keyBytes != .max }
}

extension WriteLimits {
  func checkRow(_ row: UnsafeRawBufferPointer, _ binding: ModelBinding) throws(StorageError) {
    if row.count > rowBytes {
      throw .limitExceeded("bytes of a row", limit: rowBytes, actual: row.count, model: binding.name)
    }
  }

  @usableFromInline
  func checkKey(_ key: some Storable, _ binding: ModelBinding) throws(StorageError) {
    let count = try key.withKeyBytes { $0.count }
    if count > keyBytes {
      throw .limitExceeded(
        "bytes of a primary key", limit: keyBytes, actual: count, model: binding.name,
        property: binding.schema.keyProperty.name)
    }
  }
}
