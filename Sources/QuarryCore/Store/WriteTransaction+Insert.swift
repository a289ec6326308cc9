public import QuarryBackend

extension WriteTransaction {
  /// Adds an object.
  ///
  /// - Throws: `duplicateKey` when an object with its primary key exists, `uniqueViolation` when another object has its
  ///   value in a unique index, `invalidValue`, `limitExceeded`, `full`, `io`.
  @inlinable
  public func insert<M: Model>(_ object: M) throws(StorageError) {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    batch.removeAll()
    batch.append(try encode(object, binding))
    try insertRows(binding.model, batch)
  }

  /// Adds objects: all of them, or none when it throws.
  ///
  /// The sequence may read and write in this transaction. What it writes is written when it is, before the objects, and
  /// undone with them.
  @inlinable
  public func insert<M: Model>(contentsOf objects: some Sequence<M>) throws(StorageError) {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    // The transaction's batch, for as long as this call has its turn: the sequence may make calls that need one, too.
    var batch = RowBatch()
    swap(&batch, &self.batch)
    defer { swap(&batch, &self.batch) }
    batch.removeAll()
    let pending = pendingMark
    let mark = beginStatement()
    do throws(StorageError) {
      for object in objects {
        batch.append(try encode(object, binding))
        guard batch.byteCount >= Self.chunkBytes else { continue }
        // Makes the statement's savepoint, because more may fail.
        try checkWrite(binding.model)
        try insertRows(binding.model, batch, mayFollow: true)
        batch.removeAll()
      }
      try checkUse(binding.model)
      try insertRows(binding.model, batch)
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

  /// Adds the object, or replaces the one with its primary key. A value that another object has in a unique index is an
  /// error: an upsert never deletes an object.
  ///
  /// - Returns: Whether the object was added.
  @discardableResult
  public func upsert<M: Model>(_ object: M) throws(StorageError) -> Bool {
    try upsert(CollectionOfOne(object), .replace) == 1
  }

  /// Adds or replaces objects: all of them, or none when it throws. Uniqueness is checked when all are in.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsert<M: Model>(contentsOf objects: some Sequence<M>) throws(StorageError) -> Int {
    try upsert(objects, .replace)
  }

  /// Adds the object, or, where there is one with its primary key, replaces only these columns of it.
  ///
  /// - Returns: Whether the object was added.
  @discardableResult
  public func upsert<M: Model, each V: Storable>(
    _ object: M, updating columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws(StorageError) -> Bool {
    let binding = try store.binding(M.self)
    let all = M.Columns()
    var slots: [Int] = []
    for column in repeat each columns { slots.append(Int(try binding.slot(all[keyPath: column]).index)) }
    return try upsert(CollectionOfOne(object), .merge(slots: slots)) == 1
  }

  private func upsert<M: Model>(_ objects: some Sequence<M>, _ policy: UpsertPolicy) throws(StorageError) -> Int {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    // As in an insert, the sequence may make calls that need a batch, too.
    var batch = RowBatch()
    swap(&batch, &self.batch)
    defer { swap(&batch, &self.batch) }
    batch.removeAll()
    let mark = beginStatement()
    let added: Int
    do throws(StorageError) {
      for object in objects { batch.append(try encode(object, binding)) }
      try checkUse(binding.model)
      added = try upsertRows(binding.model, batch, policy)
    } catch {
      try undoStatement(mark)
      throw error
    }
    try endStatement()
    return added
  }

  /// The stored object with the primary key of this one, or this one after adding it.
  public func getOrInsert<M: Model>(_ object: M) throws(StorageError) -> M {
    let binding = try store.binding(M.self)
    try checkWrite(binding.model)
    return try getOrInsert(object, binding)
  }

  /// The object with the primary key, or the one that the closure makes, after adding it. Where the closure stores an
  /// object with that key itself, that one.
  ///
  /// - Throws: `invalidValue` when the made object has another primary key.
  public func getOrInsert<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ make: () throws -> M
  ) throws -> M {
    if let found = try get(M.self, key) { return found }
    return try statement {
      let object = try make()
      guard try object.primaryKeyValue.isSameKey(as: key) else {
        throw StorageError(
          .invalidValue, "the object that was made has another primary key", model: M.modelDefinition.name)
      }
      let binding = try store.binding(M.self)
      try checkUse(binding.model)
      return try getOrInsert(object, binding)
    }
  }

  private func getOrInsert<M: Model>(_ object: M, _ binding: ModelBinding) throws(StorageError) -> M {
    guard let row = try getOrInsertRow(binding.model, encode(object, binding)) else { return object }
    return try read(ModelReader(row, binding))
  }
}
