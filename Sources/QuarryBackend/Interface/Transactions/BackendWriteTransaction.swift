/// The write transaction of a store.
///
/// Each call is atomic: when it throws, the transaction is as it was before the call and stays usable, unless the error says
/// otherwise at commit. If the engine itself fails midway, for example with `full`, the transaction may throw that error from
/// then on.
///
/// It is begun, and committed or rolled back, on one thread. Where commits wait for the disk, writers share it. In between it
/// then takes calls of other threads too, one at a time, in a savepoint for each writer that makes more than one.
public protocol BackendWriteTransaction: BackendReadTransaction {
  /// Adds rows in the row format of the model's current layout.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - rows: Rows with primary keys that no stored row and no other row of the batch has.
  /// - Throws: `duplicateKey`, which wins over `uniqueViolation` when both apply (contract, STMT-3); `limitExceeded` before any
  ///   write; `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError)

  /// Adds many rows, which come batch by batch.
  ///
  /// It adds what ``insert(_:_:)`` of all of them would add, with its errors, but is not atomic by itself. After a throw the
  /// transaction can only be rolled back, so the engine need not record how to undo a part of it.
  ///
  /// An engine may leave the indexes of a model that has no rows out and make them of all entries in their order when the
  /// rows are in: uniqueness is checked then. The default inserts each batch.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - next: Appends rows to the batch, which is empty; none when there are no more. It may read rows by their keys in this
  ///     transaction.
  /// - Throws: As ``insert(_:_:)``; the errors of the closure.
  func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError)

  /// Adds rows, or replaces those with the same primary key.
  ///
  /// Uniqueness is checked when all are in. Of rows with one key in the batch the last is stored.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - rows: Rows in the row format of the model's current layout.
  ///   - policy: Which slots of an existing row are replaced.
  /// - Returns: The number of rows that were added. The others replaced existing rows or left them as they were.
  /// - Throws: `uniqueViolation`; `limitExceeded`; `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  func upsert(_ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy) throws(StorageError) -> Int

  /// Adds the row unless its primary key exists, and returns the stored row if it does.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - row: A row in the row format, lent for the call.
  /// - Returns: The stored row, lent until the next call on the transaction; nil if `row` was added.
  /// - Throws: `uniqueViolation` or `limitExceeded` if the row would be added; `closed`, `transactionEnded`, `corrupt`, `full`,
  ///   `io`.
  func getOrInsert(_ model: ModelID, _ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?

  /// Replaces slots of an existing row by the slots of `row`, if the stored row still has the expected bytes of fields.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - row: A row with the primary key and the new values. Slots that are not replaced may be null in it, even slots of
  ///     properties that are not optional.
  ///   - slots: The slots to replace; nil for all.
  ///   - expected: A row whose values of `expectedSlots` must be the stored ones, compared bit by bit; nil for no expectation.
  ///   - expectedSlots: The slots to compare; nil for all.
  /// - Throws: `notFound` when there is no such row, `conflict` when the stored row differs, `uniqueViolation`, `limitExceeded`;
  ///   `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  func update(
    _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) throws(StorageError)

  /// Removes the rows with these keys. A key that no row has is no error.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - keys: Primary keys in the key format, in any order.
  /// - Returns: The number of rows that were removed.
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int

  /// Removes the row with this key, whose bytes are lent for the call. The default makes a list of it.
  ///
  /// - Parameters:
  ///   - model: The id of a model of the transaction's schema.
  ///   - key: A primary key in the key format.
  /// - Returns: Whether there was such a row.
  /// - Throws: As the form with a list of keys.
  func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool

  /// Applies assignments to every row of the query.
  ///
  /// The rows are chosen before the first change; uniqueness is checked when all are changed. The primary key is never assigned
  /// to. ``RowAssigner`` defines the results.
  ///
  /// - Parameters:
  ///   - query: A query that was bound to the transaction's schema.
  ///   - assignments: The assignments, in the order in which they apply. Without any, the call only counts.
  /// - Returns: The number of rows that the query gave.
  /// - Throws: `uniqueViolation`; `invalidValue` when a result does not fit; `missingValue` for nil in a slot that is not
  ///   optional; `limitExceeded`; `invalidQuery` for a model or slot that the schema lacks, the primary key, and arithmetic on a
  ///   type without any; `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int

  /// Removes every row of the query.
  ///
  /// - Parameter query: A query that was bound to the transaction's schema.
  /// - Returns: The number of rows that were removed.
  /// - Throws: `invalidQuery` for a model or slot that the schema lacks; `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  /// - Complexity: Without a condition an engine may empty whole trees. Otherwise it reads and removes row by row.
  func delete(_ query: BoundQuery) throws(StorageError) -> Int

  /// Begins a savepoint.
  ///
  /// Savepoints nest. When one is rolled back, the cursors that were created in it end. Earlier cursors continue, unless their
  /// model was written to.
  ///
  /// An engine may keep this call, and ``releaseSavepoint()``, until the next call that reads or writes: an error of the server
  /// is then thrown there.
  ///
  /// - Throws: `closed`, `transactionEnded`, `full`, `io`.
  func savepoint() throws(StorageError)
  /// Keeps what was done since the innermost savepoint.
  ///
  /// - Throws: `transactionEnded` when no savepoint is open (``StorageError/noSavepoint``), after which the transaction
  ///   continues; `closed`, `io`.
  func releaseSavepoint() throws(StorageError)
  /// Undoes what was done since the innermost savepoint, and ends it.
  ///
  /// - Throws: As ``releaseSavepoint()``. After an `io` the transaction can only be rolled back.
  func rollbackSavepoint() throws(StorageError)

  /// Changes the stored schema, and with it the rows and indexes that the change is about.
  ///
  /// ``Schema/applying(_:)`` computes the new schema and checks the change. References, generated keys and search are only
  /// stored: the layer above checks and maintains them.
  ///
  /// - Parameter change: The change. Ids of new models and indexes in it are ignored, because the schema allots its own.
  /// - Throws: `unsupported` for a change that the manifest does not offer, before any effect; the errors of
  ///   ``Schema/applying(_:)``. `missingValue` when a row has nil in a property that becomes required; `uniqueViolation` when two
  ///   rows share a value in a new unique index; `limitExceeded` for a row or entry past a limit. `iterationActive` when an
  ///   engine cannot change tables under an open cursor; `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  /// - Complexity: A new index reads every row of its model, and a property that becomes required too. An engine of ordered trees
  ///   keeps rows as they are for all other changes.
  func apply(_ change: SchemaChange) throws(StorageError)

  /// The changes that were captured since the transaction began, or since the last call of this function.
  ///
  /// A part of Quarry that records changes in the same transaction calls it before the commit. ``commit()`` still returns
  /// the changes of the whole transaction. The default knows nothing of them.
  ///
  /// - Throws: ``BackendReadTransaction/failure`` where it is set: the transaction can only be rolled back then.
  func changes() throws(StorageError) -> ChangeSet

  /// The bytes of keys and rows that were captured since the transaction began, or since the last call of ``changes()``, roughly.
  ///
  /// A part of Quarry takes the changes of a long transaction in parts, by this figure. The default is 0.
  var capturedBytes: Int { get }

  /// Makes the changes visible and, at the declared level, durable. After a throw the transaction is rolled back.
  ///
  /// - Returns: The version of the new state, and the captured changes.
  /// - Throws: `full`, `io`, also when the store's files were removed or replaced; `closed`, `transactionEnded`. `conflict` when
  ///   the changes of another transaction are in the way, where the manifest says that there are many writers. `commitUnknown`
  ///   when the connection to a server was lost meanwhile, and the server cannot be asked whether it has committed.
  func commit() throws(StorageError) -> CommitResult
  /// Undoes all that was done and ends the transaction. After its end the call does nothing.
  func rollback()
}

extension BackendWriteTransaction {
  /// Inserts each batch, and throws as ``insert(_:_:)`` and the closure.
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

  /// Returns ``ChangeSet/unknown`` and throws nothing: nothing was captured.
  public func changes() throws(StorageError) -> ChangeSet { .unknown }

  /// Removes the row with this key by a list of one, and throws as that form.
  public func delete(_ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try delete(model, [Key(copying: key)]) == 1
  }
}
