import CSQLite
import QuarryBackend
import QuarrySQL

extension SQLiteWriteTransaction: RepairingWriteTransaction {
  func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    let table = try usableModel(model).table
    let keys = try unreadableKeys(table, keep)
    guard !keys.isEmpty else { return 0 }
    try atomically { () throws(StorageError) in
      let statement = try connection.prepare("DELETE FROM \(table.name) WHERE \(table.key.ordered) IS ?1")
      for key in keys {
        try statement.bind([key])
        try statement.run()
      }
    }
    hasChanged = true
    return keys.count
  }

  /// Computes the columns by which decimals are ordered again where they do not match the numbers.
  func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int {
    let table = try usableModel(model).table
    let orders = SQLiteOrderColumns(table)
    guard !orders.columns.isEmpty else { return 0 }
    let wrong = try wrongOrders(table, orders)
    guard !wrong.isEmpty else { return 0 }
    try atomically { () throws(StorageError) in
      for (key, columns) in wrong {
        for (column, value) in columns {
          let statement = try connection.prepare(
            "UPDATE \(table.name) SET \(column.ordered) = ?2 WHERE \(table.key.ordered) IS ?1")
          try statement.bind([key, value.map { .blob($0) } ?? .null])
          try statement.run()
        }
      }
    }
    hasChanged = true
    return wrong.count
  }

  /// The rows with a wrong order column, by their keys as the table has them, and what the columns should have.
  private func wrongOrders(
    _ table: SQLiteTable, _ orders: SQLiteOrderColumns
  ) throws(StorageError) -> [(SQLConstant, [(SQLiteColumn, [UInt8]?)])] {
    let statement = try connection.prepare("SELECT \(orders.list), \(table.key.ordered) FROM \(table.name) NOT INDEXED")
    let keyColumn = orders.first + Int32(orders.columns.count)
    let writer = RowWriter(table.layout)
    var wrong: [(SQLConstant, [(SQLiteColumn, [UInt8]?)])] = []
    while try statement.step() {
      let row = try RowView(try SQLiteColumnCodec.read(statement, table.all, writer), table.layout)
      let columns = try orders.wrong(statement, row)
      if !columns.isEmpty { wrong.append((Self.constant(statement, keyColumn), columns)) }
    }
    return wrong
  }

  /// Tells of the rows that cannot be read.
  ///
  /// - Returns: Their keys as the table has them.
  private func unreadableKeys(
    _ table: SQLiteTable, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> [SQLConstant] {
    let orders = SQLiteOrderColumns(table)
    let statement = try connection.prepare("SELECT \(orders.list), \(table.key.ordered) FROM \(table.name) NOT INDEXED")
    let keyColumn = orders.first + Int32(orders.columns.count)
    let writer = RowWriter(table.layout)
    var keys: [SQLConstant] = []
    while try statement.step() {
      let reason: String
      do throws(StorageError) {
        let view = try RowView(try SQLiteColumnCodec.read(statement, table.all, writer), table.layout)
        let defects = view.defects(table.layout, table.model)
        if !defects.isEmpty {
          reason = defects.joined(separator: "; ")
        } else if try orders.wrong(statement, view).contains(where: { $0.0.slot.index == table.key.slot.index }) {
          reason = "the row lies under the key of another number"
        } else {
          continue
        }
      } catch {
        guard error.code == .corrupt else { throw error }
        reason = error.message
      }
      let columns = table.all.places.map { place in
        Value.Member(table.model.properties[Int(place.slot.index)].name, Self.value(statement, place.index))
      }
      let text = table.all.places.first { Int($0.slot.index) == table.model.primaryKey }
        .map { SQLiteCheck.text(statement, $0.index) }
      try keep(
        UnreadableRow(model: table.model.name, key: text ?? "?", reason: reason, content: .columns(columns)))
      keys.append(Self.constant(statement, keyColumn))
    }
    return keys
  }

  /// The actual value of a column, whatever was meant to be there.
  private static func value(_ statement: SQLiteStatement, _ column: Int32) -> Value {
    switch statement.type(column) {
    case SQLITE_INTEGER: .int(statement.integer(column))
    case SQLITE_FLOAT: .double(statement.real(column))
    case SQLITE_TEXT:
      String(validating: statement.bytes(column), as: UTF8.self).map(Value.string)
        ?? .data(.init(statement.bytes(column)))
    case SQLITE_BLOB: .data(.init(statement.bytes(column)))
    default: .null
    }
  }

  private static func constant(_ statement: SQLiteStatement, _ column: Int32) -> SQLConstant {
    switch statement.type(column) {
    case SQLITE_INTEGER: .integer(statement.integer(column))
    case SQLITE_FLOAT: .real(statement.real(column))
    case SQLITE_TEXT: .text(Array(statement.bytes(column)))
    case SQLITE_BLOB: .blob(Array(statement.bytes(column)))
    default: .null
    }
  }
}
