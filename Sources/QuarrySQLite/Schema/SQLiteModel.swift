import QuarryBackend

/// The state that one connection keeps for a model: prepared statements, and memory that is reused.
///
/// Unchecked exclusivity, here and in the classes that move rows: one thread at a time uses a connection, no access
/// spans a call that could make another, and the check costs more than the access.
final class SQLiteModel {
  let table: SQLiteTable
  let writer: RowWriter
  let scratch = RowScratch()
  /// Selects ``SQLiteReadPlan/call`` where the connection can, and the columns else.
  @exclusivity(unchecked) var getStatement: SQLiteStatement?
  @exclusivity(unchecked) var existsStatement: SQLiteStatement?
  @exclusivity(unchecked) var insertStatement: SQLiteStatement?
  @exclusivity(unchecked) private var groupInsert: SQLiteGroupInsert?
  @exclusivity(unchecked) var addStatement: SQLiteStatement?
  @exclusivity(unchecked) var replaceStatement: SQLiteStatement?
  @exclusivity(unchecked) var deleteStatement: SQLiteStatement?
  /// How many statements that write some slots are kept.
  private static let keptUpdates = 8
  /// Statements that write some slots of a row, the one that was used last at the end.
  @exclusivity(unchecked) private var updates: [SQLiteSlotUpdate] = []
  /// The row writer of the last cursor: allocating and freeing its memory costs as much as two rows.
  @exclusivity(unchecked) private var spareWriter: RowWriter?
  /// Room for a batch of most rows, so that it does not have to grow, and what is kept for the next cursor at most.
  private static let usualBytes = 16 << 10
  private static let mostBytes = 64 << 10
  /// How many queries are kept.
  private static let keptSelects = 8
  /// Queries, the one that was used last at the end.
  @exclusivity(unchecked) private var selects: [SQLiteKeptSelect] = []
  /// How often SQLite had prepared the get statement again at the last check.
  var getReprepares: Int32 = 0

  init(_ table: SQLiteTable) {
    self.table = table
    writer = RowWriter(table.layout)
  }

  func finalizeStatements() {
    getStatement = nil
    existsStatement = nil
    insertStatement = nil
    groupInsert = nil
    addStatement = nil
    replaceStatement = nil
    deleteStatement = nil
    updates = []
    for select in selects { select.retire() }
    selects = []
  }

  @inline(__always)
  func get(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let getStatement { return getStatement }
    return try prepareGet(connection, connection.rowFunction.isUsable ? table.getCallSQL : nil)
  }

  /// - Parameter call: The statement with a call; nil for that with columns.
  private func prepareGet(_ connection: SQLiteConnection, _ call: String?) throws(StorageError) -> SQLiteStatement {
    let statement = try connection.prepare(call ?? table.getSQL)
    statement.handsRows = call != nil
    getStatement = statement
    getReprepares = 0
    return statement
  }

  /// Takes the statement with columns in the place of the one with a call.
  func getColumns(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let getStatement, !getStatement.handsRows { return getStatement }
    return try prepareGet(connection, nil)
  }

  @inline(__always)
  func exists(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let existsStatement { return existsStatement }
    let statement = try connection.prepare(table.existsSQL)
    existsStatement = statement
    return statement
  }

  @inline(__always)
  func insert(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let insertStatement { return insertStatement }
    let statement = try connection.prepare(table.insertSQL)
    insertStatement = statement
    return statement
  }

  func insertGroup(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteGroupInsert {
    if let groupInsert { return groupInsert }
    let made = try SQLiteGroupInsert(table, connection)
    groupInsert = made
    return made
  }

  func add(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let addStatement { return addStatement }
    let statement = try connection.prepare(table.addSQL)
    addStatement = statement
    return statement
  }

  func replace(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let replaceStatement { return replaceStatement }
    let statement = try connection.prepare(table.replaceSQL)
    replaceStatement = statement
    return statement
  }

  /// The statement that writes these slots of a row.
  func update(_ slots: [Int], _ connection: SQLiteConnection) throws(StorageError) -> SQLiteSlotUpdate {
    if let last = updates.last, last.slots == slots { return last }
    if let place = updates.firstIndex(where: { $0.slots == slots }) {
      updates.swapAt(place, updates.endIndex - 1)
      return updates[updates.endIndex - 1]
    }
    let (sql, plan) = try table.update(slots)
    let update = SQLiteSlotUpdate(slots, try connection.prepare(sql), plan)
    if updates.count == Self.keptUpdates { updates.removeFirst() }
    updates.append(update)
    return update
  }

  func delete(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let deleteStatement { return deleteStatement }
    let statement = try connection.prepare(table.deleteSQL)
    deleteStatement = statement
    return statement
  }

  /// A query as a statement, and what keeps it, if anything does.
  ///
  /// - Parameter counts: Whether the statement counts the rows.
  func select(
    _ query: BoundQuery, _ function: SQLiteRowFunction, in tables: SQLiteSchemaState, counts: Bool = false
  ) throws(StorageError) -> (select: SQLiteSelect, kept: SQLiteKeptSelect?) {
    var place = selects.endIndex
    while place > 0 {
      place -= 1
      guard let select = selects[place].select(for: query, counts: counts) else { continue }
      let kept = selects[place]
      if place != selects.endIndex - 1 { selects.swapAt(place, selects.endIndex - 1) }
      return (select, kept)
    }
    let select = try SQLiteSelect(query, table, in: tables, counts: counts)
    guard let kept = SQLiteKeptSelect(query, select, function) else { return (select, nil) }
    if selects.count == Self.keptSelects { selects.removeFirst().retire() }
    selects.append(kept)
    return (select, kept)
  }

  /// A writer for the rows of a cursor.
  func takeWriter() -> RowWriter {
    if let spareWriter {
      self.spareWriter = nil
      return spareWriter
    }
    let writer = RowWriter(table.layout)
    writer.makeRoom(Self.usualBytes)
    return writer
  }

  /// Keeps the writer of a cursor that has ended, whose rows are not read any more.
  func giveWriter(_ writer: RowWriter) {
    if spareWriter == nil, writer.room <= Self.mostBytes { spareWriter = writer }
  }
}
