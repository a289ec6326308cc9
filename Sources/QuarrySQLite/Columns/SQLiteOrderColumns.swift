import CSQLite
import QuarryBackend
import QuarrySQL

/// The columns by which the decimals of a table are ordered, each next to the column with the number, and their expected values.
struct SQLiteOrderColumns {
  /// The properties.
  let columns: [SQLiteColumn]
  private let table: SQLiteTable
  private let keys = KeyWriter()
  /// Where the first of them stands in a statement that reads the table's ``SQLiteTable/all`` and then these.
  let first: Int32

  init(_ table: SQLiteTable) {
    self.table = table
    columns = table.columns.compactMap(\.self).filter { $0.kind == .decimal }
    first = Int32(table.all.places.count + (table.all.nanIndex >= 0 ? 1 : 0))
  }

  /// The columns that such a statement selects.
  var list: String { ([table.all.list] + columns.map(\.ordered)).joined(separator: ", ") }

  /// The expected value of the order column of a property.
  ///
  /// - Returns: Nil where it should be NULL.
  func value(_ column: SQLiteColumn, of row: RowView) throws(StorageError) -> [UInt8]? {
    if row.isNull(column.slot) { return nil }
    var present = column.slot
    present.isOptional = false
    keys.removeAll()
    try keys.append(row, present, table.layout, isDescending: false, isLast: true)
    return Array(keys.bytes)
  }

  /// The properties whose order columns have something else, with what they should have.
  func wrong(_ statement: SQLiteStatement, _ row: RowView) throws(StorageError) -> [(SQLiteColumn, [UInt8]?)] {
    var wrong: [(SQLiteColumn, [UInt8]?)] = []
    for (place, column) in columns.enumerated() {
      let (found, value) = (first + Int32(place), try value(column, of: row))
      let isRight =
        if let value {
          statement.type(found) == SQLITE_BLOB && statement.bytes(found).elementsEqual(value)
        } else {
          statement.type(found) == SQLITE_NULL
        }
      if !isRight { wrong.append((column, value)) }
    }
    return wrong
  }
}
