public import QuarryBackend

// The parts of the calls that add objects: see `WriteScope+Insert.swift`.

extension WriteTransaction {
  /// Adds an object.
  ///
  /// - Returns: The stored object where it had no key; nil where it is stored as it is.
  @inlinable
  func insertOne<M: Model>(_ object: M) throws(StorageError) -> M? {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    batch.removeAll()
    batch.append(try encode(object, binding))
    guard try insertRows(binding.model, &batch) > 0 else { return nil }
    let stored: [M] = try objects(of: batch, binding)
    return stored.first
  }

  /// The objects that the rows of a batch are.
  @usableFromInline
  func objects<M: Model>(of batch: borrowing RowBatch, _ binding: ModelBinding) throws(StorageError) -> [M] {
    var objects: [M] = []
    objects.reserveCapacity(batch.count)
    try batch.forEach { _, row throws(StorageError) in
      objects.append(try read(ModelReader(row, binding)))
    }
    return objects
  }

  /// Adds objects: all of them, or none when it throws.
  ///
  /// - Parameter stored: Receives the objects as they are stored, if any.
  @inlinable
  func insertAll<M: Model>(
    _ objects: some Sequence<M>, _ stored: (([M]) -> Void)? = nil
  ) throws(StorageError) {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    // The transaction's batch, for as long as this call has its turn: the sequence may make calls that need one, too.
    var batch = RowBatch()
    swap(&batch, &self.batch)
    defer { swap(&batch, &self.batch) }
    batch.removeAll()
    willRead(objects)
    let pending = pendingMark
    let mark = beginStatement()
    do throws(StorageError) {
      for object in objects {
        batch.append(try encode(object, binding))
        guard batch.byteCount >= Self.chunkBytes else { continue }
        // Opens the statement's savepoint, because more may fail.
        try checkWrite(binding.model)
        try insertRows(binding.model, &batch, mayFollow: true)
        if let stored { stored(try self.objects(of: batch, binding)) }
        batch.removeAll()
      }
      try checkUse(binding.model)
      try insertRows(binding.model, &batch)
      if let stored { stored(try self.objects(of: batch, binding)) }
      try settleReferences(from: pending)
    } catch {
      forgetPending(from: pending)
      try undoStatement(mark)
      throw error
    }
    try endStatement()
  }

  /// Bytes of rows that are handed to the engine at once in a bulk insert.
  @inlinable
  static var chunkBytes: Int { 1 << 20 }

  /// Adds or replaces objects: all of them, or none when it throws.
  ///
  /// - Returns: The number of objects that were added.
  func upsert<M: Model>(_ objects: some Sequence<M>, _ policy: UpsertPolicy) throws(StorageError) -> Int {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    // As in an insert, the sequence may make calls that need a batch, too.
    var batch = RowBatch()
    swap(&batch, &self.batch)
    defer { swap(&batch, &self.batch) }
    batch.removeAll()
    willRead(objects)
    let mark = beginStatement()
    let added: Int
    do throws(StorageError) {
      for object in objects { batch.append(try encode(object, binding)) }
      try checkUse(binding.model)
      added = try upsertRows(binding.model, &batch, policy)
    } catch {
      try undoStatement(mark)
      throw error
    }
    try endStatement()
    return added
  }

  func getOrInsert<M: Model>(_ object: M, _ binding: ModelBinding) throws(StorageError) -> M {
    let new = try encode(object, binding)
    // There is no stored object without a key.
    if let keys, keys.isMissing(binding.model, new) { return try insertOne(object) ?? object }
    guard let row = try getOrInsertRow(binding.model, new) else { return object }
    return try read(ModelReader(row, binding))
  }
}
