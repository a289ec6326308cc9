import Foundation
import QuarryBackend
import QuarrySQL

/// Finds out which key or unique index a row offends, after SQLite has refused it.
struct SQLiteConflict {
  let connection: SQLiteConnection
  let model: SQLiteModel

  /// The error for a row whose primary key there is.
  func duplicateKey(_ row: RowView) -> StorageError {
    .duplicateKey(model.table.model, key: KeyText.text(of: row, model.table.layout))
  }

  /// The error for a row that another row with another key stands in the way of.
  func violation(_ row: RowView) -> StorageError {
    let schema = model.table.model
    var offended: IndexSchema?
    for index in schema.indexes where index.isUnique {
      if (try? isTaken(index, row)) == true {
        offended = index
        break
      }
    }
    return .uniqueViolation(offended, schema, key: KeyText.text(of: row, model.table.layout))
  }

  private func isTaken(_ index: IndexSchema, _ row: RowView) throws(StorageError) -> Bool {
    let table = model.table
    var conditions: [String] = []
    var values: [SQLConstant] = []
    for column in index.columns {
      let found = try table.column(column.slot)
      let value = try row.value(found.slot, table.layout)
      if value.isNull { return false }
      conditions.append("\(found.ordered) = ?")
      values.append(try SQLConstant(comparable: value, found.slot.type))
    }
    conditions.append("\(table.key.ordered) <> ?")
    let key = try row.value(table.key.slot, table.layout)
    values.append(try SQLConstant(comparable: key, table.key.slot.type))
    let sql = "SELECT 1 FROM \(table.name) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1"
    return try connection.integer(sql, values) != nil
  }
}
