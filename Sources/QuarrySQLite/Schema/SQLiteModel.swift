import QuarryBackend

/// What one connection keeps for a model: statements that are ready, and memory that is reused.
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
  @exclusivity(unchecked) var addStatement: SQLiteStatement?
  @exclusivity(unchecked) var replaceStatement: SQLiteStatement?
  @exclusivity(unchecked) var deleteStatement: SQLiteStatement?
  /// How many statements that write some slots are kept.
  private static let keptUpdates = 8
  /// Statements that write some slots of a row, the one that was used last at the end.
  @exclusivity(unchecked) private var updates: [SQLiteSlotUpdate] = []
  /// How often SQLite had prepared the get statement again when it was last looked at.
  var getReprepares: Int32 = 0

  init(_ table: SQLiteTable) {
    self.table = table
    writer = RowWriter(table.layout)
  }

  func finalizeStatements() {
    getStatement = nil
    existsStatement = nil
    insertStatement = nil
    addStatement = nil
    replaceStatement = nil
    deleteStatement = nil
    updates = []
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

  /// What writes these slots of a row.
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
}
