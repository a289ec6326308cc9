import CSQLite
import Foundation
import QuarryBackend
import QuarrySQL

/// A read transaction on a connection of the pool or of a snapshot, and what a write transaction shares with it.
class SQLiteReadTransaction: BackendReadTransaction {
  final let backend: SQLiteBackend
  final let connection: SQLiteConnection
  @exclusivity(unchecked) final var models: SQLiteModels
  /// The version at the beginning.
  final let base: CommitVersion
  /// Set when the transaction reads a snapshot, whose connection it shares with other threads.
  final let snapshot: SQLiteSnapshot?
  /// The lock of the snapshot.
  final let gate: NSRecursiveLock?
  @exclusivity(unchecked) final var isEnded = false

  /// - Parameter connection: One whose transaction has begun.
  init(
    _ backend: SQLiteBackend, _ connection: SQLiteConnection, _ models: SQLiteModels, base: CommitVersion,
    snapshot: SQLiteSnapshot? = nil
  ) {
    self.backend = backend
    self.connection = connection
    self.models = models
    self.base = base
    self.snapshot = snapshot
    gate = snapshot?.gate
  }

  deinit {
    end()
  }

  final var schema: Schema { models.state.schema }

  func version() throws(StorageError) -> CommitVersion {
    try check()
    return base
  }

  // MARK: Checks

  /// Throws unless the transaction can be used. To be called under the gate.
  @inline(__always)
  final func check() throws(StorageError) {
    if isEnded || backend.isClosed || snapshot?.isClosed == true { throw endedError() }
  }

  private final func endedError() -> StorageError {
    if backend.isClosed { return .storeClosed }
    if snapshot?.isClosed == true { return .snapshotClosed }
    return .ended
  }

  /// Takes note of an error after which SQLite may have ended the transaction.
  func noted(_ error: StorageError) -> StorageError { error }

  /// Whether the file is read as unchanging, and so has to be checked.
  final var isWatchingFile: Bool { connection.fileState != nil }

  /// Throws when another process has changed a file that is read as unchanging: what was read may then belong to two
  /// states.
  final func checkFile() throws(StorageError) {
    guard let state = connection.fileState else { return }
    if SQLiteFileState(backend.file) != state {
      throw StorageError(.conflict, "another process has changed the store while it was read; read again")
    }
  }

  // MARK: Rows

  final func row(
    _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    if gate != nil || isWatchingFile { return try sharedRow(model, key) }
    try check()
    do throws(StorageError) {
      return try connection.row(try models.model(model), key)
    } catch {
      throw noted(error)
    }
  }

  /// A row of a snapshot, or of a file that is read as unchanging.
  private final func sharedRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    gate?.lock()
    defer { gate?.unlock() }
    try check()
    guard let row = try connection.row(try models.model(model), key) else { return nil }
    try checkFile()
    return gate == nil ? row : keep(row)
  }

  /// Copies a row of a shared connection, so that it stays when another thread reads.
  ///
  /// The memory stays as it is until the next call on this transaction, until which the bytes are lent, or its end.
  private final func keep(_ row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    lentMemory?.deallocate()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: row.count, alignment: 16)
    memory.copyMemory(from: row)
    lentMemory = memory
    return UnsafeRawBufferPointer(memory)
  }
  private final var lentMemory: UnsafeMutableRawBufferPointer?

  final func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    for (place, key) in keys.enumerated() {
      let row: UnsafeRawBufferPointer? = try key.bytes.withBytes { (key) throws(StorageError) in
        try self.row(model, key)
      }
      try body(place, row)
    }
    if keys.isEmpty {
      try check()
      _ = try models.model(model)
    }
  }

  // MARK: Queries

  final func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor {
    try rowCursor(query)
  }

  final func rowCursor(_ query: BoundQuery) throws(StorageError) -> SQLiteCursor {
    gate?.lock()
    defer { gate?.unlock() }
    try check()
    do throws(StorageError) {
      let model = try models.model(query.model)
      let (select, kept) = try model.select(query, connection.rowFunction, in: models.state)
      if let kept {
        let lease = try connection.lease(kept, select.values)
        return try SQLiteCursor(self, model, select, lease, callsFunction: kept.call != nil)
      }
      let call = select.callSQL(connection.rowFunction)
      let lease = try connection.lease(call ?? select.sql, select.values, select.selection.lists)
      return try SQLiteCursor(self, model, select, lease, callsFunction: call != nil)
    } catch {
      throw noted(error)
    }
  }

  /// The first column of the first row as an integer, after which the lease ends.
  final func integer(_ lease: SQLiteLease) throws(StorageError) -> Int64? {
    defer { lease.end() }
    guard let statement = lease.statement, try statement.step() else { return nil }
    return statement.integer(0)
  }

  final func count(_ query: BoundQuery) throws(StorageError) -> Int {
    gate?.lock()
    defer { gate?.unlock() }
    try check()
    do throws(StorageError) {
      let model = try models.model(query.model)
      let (select, kept) = try model.select(query, connection.rowFunction, in: models.state, counts: true)
      guard select.selection.residual.isEmpty else {
        var narrow = query
        narrow.projection = []
        var count = 0
        try forEachRow(narrow) { (_) throws(StorageError) in count += 1 }
        return count
      }
      let lease =
        if let kept { try connection.lease(kept, select.values) } else {
          try connection.lease(select.sql, select.values, select.selection.lists)
        }
      let count = Int(try integer(lease) ?? 0)
      try checkFile()
      return count
    } catch {
      throw noted(error)
    }
  }

  /// Calls the body with each row of a query.
  final func forEachRow(
    _ query: BoundQuery, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    let cursor = try rowCursor(query)
    defer { cursor.close() }
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
    rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { rows.deallocate() }
    while true {
      let count = try cursor.fill(rows)
      if count == 0 { return }
      for index in 0..<count { try body(rows[index]) }
    }
  }

  final func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan {
    gate?.lock()
    defer { gate?.unlock() }
    try check()
    let table = try models.model(query.model).table
    let select = try SQLiteSelect(query, table, in: models.state)
    var access: [QueryPlan.Access] = []
    var sorts = false
    let lease = try connection.lease("EXPLAIN QUERY PLAN " + select.sql, select.values, select.selection.lists)
    defer { lease.end() }
    while let statement = lease.statement, try statement.step() {
      let detail = String(decoding: statement.bytes(3), as: UTF8.self)
      if detail.hasPrefix("USE TEMP B-TREE FOR") { sorts = true }
      access.append(.engine(detail))
    }
    return QueryPlan(
      backend: backend.manifest.name, access: access,
      pushed: select.selection.pushed.map { $0.describe(table.model, in: schema) },
      residual: select.selection.residual.map { $0.describe(table.model) }, sorts: sorts, statement: select.sql)
  }

  func end() {
    gate?.lock()
    defer { gate?.unlock() }
    lentMemory?.deallocate()
    lentMemory = nil
    guard !isEnded else { return }
    isEnded = true
    if snapshot == nil {
      connection.endRead()
      backend.pool.give(connection)
      backend.emptyLargeLog()
    }
  }
}

extension SQLiteConnection {
  /// Begins a read transaction and fixes what it sees.
  func beginRead(_ shared: SQLiteSharedSchema) throws(StorageError) -> (SQLiteModels, CommitVersion) {
    try run(Fixed.begin)
    do throws(StorageError) {
      return try readState(shared)
    } catch {
      rollBack()
      throw error
    }
  }

  /// Reads the version and makes sure that the models belong to the state that the transaction sees.
  func readState(_ shared: SQLiteSharedSchema) throws(StorageError) -> (SQLiteModels, CommitVersion) {
    let statement = try statement(.state)
    defer { statement.reset() }
    guard try statement.step(), statement.type(0) == SQLITE_INTEGER, statement.type(1) == SQLITE_INTEGER else {
      throw StorageError(.corrupt, "the store has no number of its last commit")
    }
    let version = CommitVersion(UInt64(bitPattern: statement.integer(0)))
    let schemaVersion = UInt64(bitPattern: statement.integer(1))
    if let models, models.state.schema.version == schemaVersion { return (models, version) }
    let state = try shared.state(schemaVersion) { () throws(StorageError) in try SQLiteSchemaStore.load(self) }
    let models = SQLiteModels(state)
    self.models = models
    return (models, version)
  }

  /// Ends a read transaction. Committing keeps the temporary table.
  func endRead() {
    endLeases()
    do throws(StorageError) { try run(Fixed.commit) } catch { rollBack() }
    hasNewTables = false
  }

  /// The row with the primary key, in the model's buffer.
  @inline(__always)
  func row(_ model: SQLiteModel, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    let statement = try model.get(self)
    guard statement.handsRows, !statement.needsColumns else { return try columnsRow(model, key) }
    defer { statement.reset() }
    try SQLiteColumnCodec.bind(key: key, model.table.keyPlace, statement, model.scratch)
    switch try rowFunction.step(statement, model.table.all, model.writer) {
    case .row(let row): return row
    case .end: return nil
    case .rowWithNaN(let row):
      statement.needsColumns = true
      try addNaNs(to: row, model, model.table.all, model.writer)
      return row
    case .calledAhead: return try columnsRow(model, key)
    }
  }

  /// Gives the NaNs of a row that a writer has just finished the bits that are stored.
  @inline(never)
  func addNaNs(
    to row: UnsafeRawBufferPointer, _ model: SQLiteModel, _ plan: SQLiteReadPlan, _ writer: RowWriter
  ) throws(StorageError) {
    guard plan.nanIndex >= 0 else { return }
    let table = model.table
    let statement = try lease("SELECT \(SQLiteName.nan) FROM \(table.name) WHERE \(table.key.ordered) = ?1")
    defer { giveBack(statement) }
    try SQLiteColumnCodec.bind(keyOf: RowView(row, table.layout), table, statement, model.scratch)
    if try statement.step() { try SQLiteColumnCodec.setNaNs(statement.field(0), in: row, plan, writer) }
  }

  @inline(never)
  private func columnsRow(
    _ model: SQLiteModel, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let statement = try model.getColumns(self)
    defer { statement.reset() }
    try SQLiteColumnCodec.bind(key: key, model.table.keyPlace, statement, model.scratch)
    guard try statement.step() else { return nil }
    return try SQLiteColumnCodec.read(statement, model.table.all, model.writer)
  }

  /// Whether there is a row with the primary key of this row.
  func exists(_ model: SQLiteModel, keyOf row: RowView) throws(StorageError) -> Bool {
    let statement = try model.exists(self)
    defer { statement.reset() }
    try SQLiteColumnCodec.bind(keyOf: row, model.table, statement, model.scratch)
    return try statement.step()
  }
}
