/// The write transaction of a store.
///
/// Each call is atomic: when it throws, the transaction is as it was before the call and stays usable, unless the error says
/// otherwise at commit.
///
/// It is begun, and committed or rolled back, on one thread. Where commits wait for the disk, writers share it. In between it
/// then takes calls of other threads too, one at a time, in a savepoint for each writer that makes more than one.
public protocol BackendWriteTransaction: BackendReadTransaction {
  /// Adds rows in the row format of the model's current layout.
  ///
  /// - Throws: `duplicateKey`, `uniqueViolation`, `limitExceeded`, `full`, `io`.
  func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError)

  /// Adds many rows, which come batch by batch.
  ///
  /// It adds what ``insert(_:_:)`` of all of them would add, with its errors, but is not atomic by itself. After a throw the
  /// transaction can only be rolled back, so the engine need not record how to undo a part of it.
  ///
  /// An engine may leave the indexes of a model that has no rows out and make them of all entries in their order when the
  /// rows are in: uniqueness is checked then. The default inserts each batch.
  ///
  /// - Parameter next: Appends rows to the batch, which is empty; none when there are no more. It may read rows by their
  ///   keys in this transaction.
  /// - Throws: As ``insert(_:_:)``; what the closure throws.
  func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError)

  /// Adds rows, or replaces those with the same primary key. Uniqueness is checked when all are in. Of rows with one
  /// key in the batch the last is stored.
  ///
  /// - Parameter policy: Which slots of an existing row are replaced.
  /// - Returns: How many rows were added (the others replaced or left alone existing ones).
  func upsert(_ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy) throws(StorageError) -> Int

  /// Adds the row unless its primary key exists, and returns the stored row if it does.
  func getOrInsert(_ model: ModelID, _ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?

  /// Replaces slots of an existing row by the slots of `row`, if the stored row still has the expected bytes of fields.
  ///
  /// - Parameters:
  ///   - row: A row with the primary key and the new values. Slots that are not replaced may be null in it, even slots of
  ///     properties that are not optional.
  ///   - slots: The slots to replace; nil for all.
  ///   - expected: A row whose values of `expectedSlots` (all when nil) must be those stored, compared bit by bit; nil
  ///     for no expectation.
  /// - Throws: `notFound` when there is no such row, `conflict` when the stored row differs, `uniqueViolation`.
  func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError)

  /// Removes the rows with these keys.
  ///
  /// - Returns: How many there were.
  func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int

  /// Removes the row with this key, whose bytes are lent for the call. The default makes a list of it.
  ///
  /// - Returns: Whether there was one.
  func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool

  /// Applies assignments to every row of the query.
  ///
  /// Rows are fixed before the first change; uniqueness is checked when all are changed. The primary key is never assigned to.
  ///
  /// - Returns: How many rows the query gave.
  /// - Throws: `uniqueViolation`, `invalidValue` when a result does not fit.
  func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int

  /// Removes every row of the query.
  ///
  /// - Returns: How many there were.
  func delete(_ query: BoundQuery) throws(StorageError) -> Int

  /// Begins a savepoint.
  ///
  /// Savepoints nest. When one is rolled back, the cursors that were created in it end. Earlier cursors continue, unless their
  /// model was written to.
  ///
  /// An engine may keep this call, and ``releaseSavepoint()``, until the next call that reads or writes: an error of the server
  /// is then thrown there.
  func savepoint() throws(StorageError)
  /// Keeps what was done since the innermost savepoint.
  func releaseSavepoint() throws(StorageError)
  /// Undoes what was done since the innermost savepoint, and ends it.
  func rollbackSavepoint() throws(StorageError)

  /// Changes the stored schema.
  func apply(_ change: SchemaChange) throws(StorageError)

  /// The changes that were captured since the transaction began, or since the last call of this function.
  ///
  /// A part of Quarry that records changes in the same transaction calls it before the commit. ``commit()`` still returns
  /// the changes of the whole transaction. The default knows nothing of them.
  ///
  /// - Throws: The errors of reading, after which the transaction can only be rolled back.
  func changes() throws(StorageError) -> ChangeSet

  /// The bytes of keys and rows that were captured since the transaction began, or since the last call of ``changes()``, roughly.
  ///
  /// A part of Quarry takes the changes of a long transaction in parts, by this figure. The default is 0.
  var capturedBytes: Int { get }

  /// Makes the changes visible and, at the declared level, durable. After a throw the transaction is rolled back.
  ///
  /// - Throws: `full`, `io`; `conflict` when the changes of another transaction are in the way, where the manifest says
  ///   that there are many writers. `commitUnknown` when the connection to a server was lost meanwhile, and the server cannot be
  ///   asked whether it has committed.
  func commit() throws(StorageError) -> CommitResult
  /// Undoes all that was done and ends the transaction.
  func rollback()
}

extension BackendWriteTransaction {
  /// Inserts each batch.
  public func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    var batch = RowBatch()
    while true {
      batch.removeAll()
      try next(&batch)
      if batch.count == 0 { return }
      try insert(model, batch)
    }
  }

  /// 0: nothing was captured.
  public var capturedBytes: Int { 0 }

  /// Unknown: nothing was captured.
  public func changes() throws(StorageError) -> ChangeSet { .unknown }

  /// Removes the row with this key by a list of one.
  public func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try delete(model, [Key(copying: key)]) == 1
  }
}
