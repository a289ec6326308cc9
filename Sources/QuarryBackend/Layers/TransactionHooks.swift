/// The calls that a layer makes in place of a transaction's calls.
///
/// ``ReaderLayer`` and ``WriterLayer`` call them.
///
/// Each requirement corresponds to one call of ``BackendReadTransaction``, ``BackendWriteTransaction`` or their optional
/// protocols, with the same parameters, results and errors. Its first parameter is the transaction beneath. Every requirement has
/// a default that forwards. So hooks name only the calls that they change, and name them once for both kinds of transaction.
///
/// Some calls have relatives. Hooks that change ``schema(_:)`` change ``schemaVersion(_:)`` too. Hooks that change
/// ``insert(_:_:_:)`` change ``load(_:_:_:)``, for which ``loadByInserting(_:_:_:)`` is there. Hooks that change
/// ``delete(_:_:_:)`` change ``delete(_:_:key:)``. Hooks that change ``rows(_:_:_:_:)`` change ``missing(_:_:_:)``, for which
/// ``missingByReading(_:_:_:)`` is there. Hooks that change ``missing(_:_:_:)`` or ``cursor(_:_:)`` change ``answers(_:_:)``, for
/// which ``answersByAsking(_:_:)`` is there.
public protocol TransactionHooks {
  /// A transaction beneath, of either kind.
  typealias Reader = any BackendReadTransaction
  /// A write transaction beneath.
  typealias Writer = any BackendWriteTransaction

  /// Stands for ``BackendReadTransaction/schema``.
  func schema(_ base: Reader) -> Schema
  /// Stands for ``BackendReadTransaction/schemaVersion``.
  func schemaVersion(_ base: Reader) -> UInt64
  /// Stands for ``BackendReadTransaction/version()``.
  func version(_ base: Reader) throws(StorageError) -> CommitVersion
  /// Stands for ``BackendReadTransaction/row(_:_:)``.
  func row(
    _ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer?
  /// Stands for ``BackendReadTransaction/rows(_:_:_:)``.
  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError)
  /// Stands for ``BackendReadTransaction/missing(_:_:)``.
  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int]
  /// Stands for ``BackendReadTransaction/answers(_:)``.
  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer]
  /// Stands for ``BackendReadTransaction/failure``.
  func failure(_ base: Reader) -> StorageError?
  /// Stands for ``BackendReadTransaction/cursor(_:)``.
  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor
  /// Stands for ``BackendReadTransaction/count(_:)``.
  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int
  /// Stands for ``BackendReadTransaction/aggregate(_:)``.
  func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow]
  /// Stands for ``BackendReadTransaction/explain(_:)``.
  func explain(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan
  /// Stands for ``SubqueryTransaction/decidesSubqueries(_:of:)``.
  func decidesSubqueries(
    _ base: Reader, _ predicate: BoundPredicate, of model: ModelID
  ) throws(StorageError) -> Bool
  /// Stands for ``BackendReadTransaction/end()``.
  func end(_ base: Reader)

  /// Stands for ``BackendWriteTransaction/insert(_:_:)``.
  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError)
  /// Stands for ``BackendWriteTransaction/load(_:_:)``.
  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError)
  /// Stands for ``BackendWriteTransaction/upsert(_:_:_:)``.
  func upsert(
    _ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int
  /// Stands for ``BackendWriteTransaction/getOrInsert(_:_:)``.
  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer?
  /// Stands for ``BackendWriteTransaction/update(_:_:slots:expected:expectedSlots:)``.
  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError)
  /// Stands for ``BackendWriteTransaction/delete(_:_:)``.
  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int
  /// Stands for ``BackendWriteTransaction/delete(_:key:)``.
  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool
  /// Stands for ``BackendWriteTransaction/update(_:_:)``.
  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int
  /// Stands for ``BackendWriteTransaction/delete(_:)``.
  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int
  /// Stands for ``BackendWriteTransaction/savepoint()``.
  func savepoint(_ base: Writer) throws(StorageError)
  /// Stands for ``BackendWriteTransaction/releaseSavepoint()``.
  func releaseSavepoint(_ base: Writer) throws(StorageError)
  /// Stands for ``BackendWriteTransaction/rollbackSavepoint()``.
  func rollbackSavepoint(_ base: Writer) throws(StorageError)
  /// Stands for ``BackendWriteTransaction/apply(_:)``.
  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError)
  /// Stands for ``RepairingWriteTransaction/removeUnreadableRows(_:_:)``.
  func removeUnreadableRows(
    _ base: Writer, _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int
  /// Stands for ``RepairingWriteTransaction/correctDerivedValues(_:)``.
  func correctDerivedValues(_ base: Writer, _ model: ModelID) throws(StorageError) -> Int
  /// Stands for ``RepairingWriteTransaction/correctDefinition(_:)``.
  func correctDefinition(_ base: Writer, _ model: ModelID) throws(StorageError) -> [String]
  /// Stands for ``BackendWriteTransaction/changes()``.
  func changes(_ base: Writer) throws(StorageError) -> ChangeSet
  /// Stands for ``BackendWriteTransaction/capturedBytes``.
  func capturedBytes(_ base: Writer) -> Int
  /// Stands for ``BackendWriteTransaction/commit()``.
  func commit(_ base: Writer) throws(StorageError) -> CommitResult
  /// Stands for ``BackendWriteTransaction/rollback()``.
  func rollback(_ base: Writer)
}

/// Hooks whose transaction has the changes of the transaction beneath.
package protocol ChangesOfBase: TransactionHooks {}

/// The arguments of an update of one row: ``BackendWriteTransaction/update(_:_:slots:expected:expectedSlots:)``.
public struct RowUpdate {
  /// The model of the row.
  public var model: ModelID
  /// A row with the primary key and the new values.
  public var row: UnsafeRawBufferPointer
  /// The slots to replace; nil for all.
  public var slots: [Int]?
  /// A row with the values that the stored row must have; nil for no expectation.
  public var expected: UnsafeRawBufferPointer?
  /// The slots of `expected` that are compared; nil for all.
  public var expectedSlots: [Int]?

  /// Makes the arguments of one update.
  ///
  /// - Parameters:
  ///   - model: The id of the model of the row.
  ///   - row: A row with the primary key and the new values, lent as long as the arguments are used.
  ///   - slots: The slots to replace; nil for all.
  ///   - expected: A row with the values that the stored row must have; nil for no expectation.
  ///   - expectedSlots: The slots of `expected` that are compared; nil for all.
  public init(
    model: ModelID, row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
    expectedSlots: [Int]?
  ) {
    self.model = model
    self.row = row
    self.slots = slots
    self.expected = expected
    self.expectedSlots = expectedSlots
  }

  /// Calls the update in a transaction.
  ///
  /// - Parameter transaction: A write transaction whose schema has the model.
  /// - Throws: As ``BackendWriteTransaction/update(_:_:slots:expected:expectedSlots:)``.
  public func run(_ transaction: any BackendWriteTransaction) throws(StorageError) {
    try transaction.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
  }
}
