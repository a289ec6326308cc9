import QuarryBackend

/// What a faulty backend does otherwise than the sound one underneath. Each call has the sound call to hand on to; a
/// fault changes one or a few of them.
protocol Twist: Sendable {
  typealias Reader = any BackendReadTransaction
  typealias Writer = any BackendWriteTransaction

  // The backend.
  func manifest(_ backend: any Backend) -> BackendManifest
  func beginRead(_ backend: any Backend) throws(StorageError) -> Reader
  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer
  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot
  func compact(_ backend: any Backend) throws(StorageError)
  func backup(_ backend: any Backend, to path: String, _ progress: @escaping BackupProgress) throws(StorageError)
  func check(_ backend: any Backend) throws(StorageError) -> [String]
  func statistics(_ backend: any Backend) throws(StorageError) -> BackendStatistics
  /// Whether the data go when the store is destroyed.
  var destroysData: Bool { get }
  func destroy(_ backend: any Backend) throws(StorageError)
  func close(_ backend: any Backend) throws(StorageError)

  // Reading, in transactions of both kinds.
  /// The query that takes the place of one that is read or written by.
  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery
  func schema(_ tx: Reader) -> Schema
  func version(_ tx: Reader) throws(StorageError) -> CommitVersion
  func row(_ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> UnsafeRawBufferPointer?
  func rows(
    _ tx: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError)
  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor
  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int
  func aggregate(_ tx: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow]
  func explain(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan

  // Writing.
  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError)
  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int
  func getOrInsert(
    _ tx: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer?
  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError)
  func delete(_ tx: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int
  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int
  func delete(_ tx: Writer, _ query: BoundQuery) throws(StorageError) -> Int
  func savepoint(_ tx: Writer) throws(StorageError)
  func releaseSavepoint(_ tx: Writer) throws(StorageError)
  func rollbackSavepoint(_ tx: Writer) throws(StorageError)
  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError)
  func commit(_ tx: Writer) throws(StorageError) -> CommitResult
  func rollback(_ tx: Writer)
}

/// The arguments of an update of one row.
struct RowUpdate {
  var model: ModelID
  var row: UnsafeRawBufferPointer
  var slots: [Int]?
  var expected: UnsafeRawBufferPointer?
  var expectedSlots: [Int]?

  func run(_ tx: any BackendWriteTransaction) throws(StorageError) {
    try tx.update(model, row, slots: slots, expected: expected, expectedSlots: expectedSlots)
  }
}

/// Changes nothing: a backend behind it has to pass every case.
struct NoTwist: Twist {}

extension Twist {
  func manifest(_ backend: any Backend) -> BackendManifest { backend.manifest }
  func beginRead(_ backend: any Backend) throws(StorageError) -> Reader { try backend.beginRead() }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    try backend.beginWrite(options)
  }

  func snapshot(_ backend: any Backend) throws(StorageError) -> any BackendSnapshot { try backend.snapshot() }
  func compact(_ backend: any Backend) throws(StorageError) { try backend.requireCompacting().compact() }
  func backup(_ backend: any Backend, to path: String, _ progress: @escaping BackupProgress) throws(StorageError) {
    try backend.requireBackup().backup(to: path, progress: progress)
  }
  func check(_ backend: any Backend) throws(StorageError) -> [String] { try backend.check() }
  func statistics(_ backend: any Backend) throws(StorageError) -> BackendStatistics { try backend.statistics() }
  var destroysData: Bool { true }
  func destroy(_ backend: any Backend) throws(StorageError) { try backend.destroy() }
  func close(_ backend: any Backend) throws(StorageError) { try backend.close() }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery { query }
  func schema(_ tx: Reader) -> Schema { tx.schema }
  func version(_ tx: Reader) throws(StorageError) -> CommitVersion { try tx.version() }

  func row(_ tx: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    try tx.row(model, key)
  }

  func rows(
    _ tx: Reader, _ model: ModelID, _ keys: [Key],
    _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try tx.rows(model, keys, body)
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor { try tx.cursor(query) }
  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int { try tx.count(query) }

  func aggregate(_ tx: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try tx.aggregate(aggregate)
  }

  func explain(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> QueryPlan { try tx.explain(query) }

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try tx.insert(model, rows)
  }

  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try tx.upsert(model, rows, policy)
  }

  func getOrInsert(
    _ tx: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try tx.getOrInsert(model, row)
  }

  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError) { try update.run(tx) }

  func delete(_ tx: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try tx.delete(model, keys)
  }

  func update(_ tx: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try tx.update(query, assignments)
  }

  func delete(_ tx: Writer, _ query: BoundQuery) throws(StorageError) -> Int { try tx.delete(query) }
  func savepoint(_ tx: Writer) throws(StorageError) { try tx.savepoint() }
  func releaseSavepoint(_ tx: Writer) throws(StorageError) { try tx.releaseSavepoint() }
  func rollbackSavepoint(_ tx: Writer) throws(StorageError) { try tx.rollbackSavepoint() }
  func apply(_ tx: Writer, _ change: SchemaChange) throws(StorageError) { try tx.apply(change) }
  func commit(_ tx: Writer) throws(StorageError) -> CommitResult { try tx.commit() }
  func rollback(_ tx: Writer) { tx.rollback() }
}
