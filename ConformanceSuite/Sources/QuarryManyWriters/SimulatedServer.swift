import QuarryBackend

/// A backend with many writers as a server has it: each call is a round trip, and any call may be answered by a conflict.
///
/// The beginning of a transaction, each call and the commit are a trip each. Savepoints are sent with the next call, and the end
/// of a read is not waited for. A cursor brings 256 rows with its beginning, or all where its query has a limit up to 1,024, and then
/// 1,024 rows with each trip.
final class SimulatedServer: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; its own fields are constant and Sendable.
  private let store: ManyWriterStore
  private let meter: TripMeter
  private let conflicts: ConflictSource

  init(_ base: any Backend, _ store: ManyWriterStore, _ meter: TripMeter, _ conflicts: ConflictSource) {
    self.store = store
    self.meter = meter
    self.conflicts = conflicts
    super.init(base)
  }

  override var manifest: BackendManifest {
    var manifest = base.manifest
    manifest.writers = .many
    return manifest
  }

  override var readsRowsInTransactions: Bool { false }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    meter.trip(\.begins)
    return ReaderLayer(try base.beginRead(), ServerHooks(store, meter, conflicts))
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    meter.trip(\.begins)
    return WriterLayer(try base.beginWrite(options), ServerHooks(store, meter, conflicts))
  }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    meter.trip(\.begins)
    return try base.snapshot()
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try tripForRow()
    return try base.withRow(model, key, body)
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    try tripForRow()
    return try base.withRow(model, key, schema: version, body)
  }

  private func tripForRow() throws(StorageError) {
    meter.trip(\.begins)
    guard conflicts.isConflict(1) else { return }
    meter.note(\.conflicts)
    throw .overtaken
  }
}

/// The calls of one transaction.
final class ServerHooks: TransactionHooks {
  private let store: ManyWriterStore
  private let meter: TripMeter
  private let conflicts: ConflictSource
  private var calls = 0
  /// The conflict after which every call throws it.
  private var conflict: StorageError?

  init(_ store: ManyWriterStore, _ meter: TripMeter, _ conflicts: ConflictSource) {
    self.store = store
    self.meter = meter
    self.conflicts = conflicts
  }

  /// Begins a call.
  private func begin(_ kind: WritableKeyPath<TripMeter.Counts, Int> = \.calls) throws(StorageError) {
    try check()
    meter.trip(kind)
    calls += 1
    if conflicts.isConflict(calls) { throw keep(.overtaken) }
  }

  fileprivate func check() throws(StorageError) {
    if let conflict { throw conflict }
  }

  fileprivate func trip() throws(StorageError) { try begin() }

  private func keep(_ error: StorageError) -> StorageError {
    meter.note(\.conflicts)
    conflict = error
    return error
  }

  func failure(_ base: Reader) -> StorageError? { conflict ?? base.failure }

  // MARK: Reading

  func row(_ base: Reader, _ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    try begin()
    return try base.row(model, key)
  }

  func rows(
    _ base: Reader, _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    try begin()
    try base.rows(model, keys, body)
  }

  func missing(_ base: Reader, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    try begin()
    return try base.missing(model, keys)
  }

  func answers(_ base: Reader, _ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try begin()
    return try base.answers(questions)
  }

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try begin()
    return ServerCursor(try base.cursor(query), self, limit: query.limit)
  }

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    try begin()
    return try base.count(query)
  }

  func aggregate(_ base: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    try begin()
    return try base.aggregate(aggregate)
  }

  // MARK: Writing

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try begin()
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
    try begin()
    return try base.upsert(model, rows, policy)
  }

  func getOrInsert(
    _ base: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try begin()
    return try base.getOrInsert(model, row)
  }

  func update(_ base: Writer, _ update: RowUpdate) throws(StorageError) {
    try begin()
    try update.run(base)
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    try begin()
    return try base.delete(model, keys)
  }

  func delete(_ base: Writer, _ model: ModelID, key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try begin()
    return try base.delete(model, key: key)
  }

  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    try begin()
    return try base.update(query, assignments)
  }

  func delete(_ base: Writer, _ query: BoundQuery) throws(StorageError) -> Int {
    try begin()
    return try base.delete(query)
  }

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    try begin()
    try base.apply(change)
  }

  // MARK: Savepoints, which are sent with the next call; a rollback is sent at once

  func savepoint(_ base: Writer) throws(StorageError) {
    try check()
    try base.savepoint()
  }

  func releaseSavepoint(_ base: Writer) throws(StorageError) {
    try check()
    try base.releaseSavepoint()
  }

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    try check()
    meter.trip(\.calls)
    try base.rollbackSavepoint()
  }

  // MARK: The end

  func changes(_ base: Writer) throws(StorageError) -> ChangeSet {
    try check()
    return try base.changes()
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    do throws(StorageError) {
      try begin(\.commits)
    } catch {
      base.rollback()
      throw error
    }
    let before: CommitVersion
    var result: CommitResult
    do throws(StorageError) {
      before = try base.version()
      result = try base.commit()
    } catch {
      throw error.code == .conflict ? keep(error) : error
    }
    result.previous = result.version == before ? before : store.takePrevious(of: result.version)
    return result
  }
}

/// A cursor that brings rows in large batches.
private final class ServerCursor: CursorLayer {
  private let hooks: ServerHooks
  /// Rows that have come and were not taken.
  private var left: Int

  init(_ base: any RowCursor, _ hooks: ServerHooks, limit: Int?) {
    self.hooks = hooks
    left = limit.map { $0 <= 1_024 } == true ? 1_024 : 256
    super.init(base)
  }

  override func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try hooks.check()
    let count = try base.fill(rows)
    left -= count
    if left < 0 {
      left += 1_024
      try hooks.trip()
    }
    return count
  }
}
