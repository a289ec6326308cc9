import Foundation
import QuarryBackend

/// Finds out which key or unique index a row offends, after SQLite has refused it.
struct SQLiteConflict {
  let connection: SQLiteConnection
  let model: SQLiteModel

  /// The names of an index's properties.
  static func properties(_ index: IndexSchema, _ model: ModelSchema) -> String {
    index.columns.map { model.properties[$0.slot].name }.joined(separator: ", ")
  }

  /// The error for a row whose primary key there is.
  func duplicateKey(_ row: RowView) -> StorageError {
    let schema = model.table.model
    return StorageError(
      .duplicateKey, "an object with this primary key exists", model: schema.name, property: schema.keyProperty.name,
      key: key(row))
  }

  /// The error for a row that another row with another key stands in the way of.
  func violation(_ row: RowView, _ error: StorageError) -> StorageError {
    let schema = model.table.model
    var offended: IndexSchema?
    for index in schema.indexes where index.isUnique {
      if (try? isTaken(index, row)) == true {
        offended = index
        break
      }
    }
    return StorageError(
      .uniqueViolation, "another object has this value in the unique index \(offended?.name ?? "")",
      model: schema.name, property: offended.map { Self.properties($0, schema) }, key: key(row), cause: error.cause)
  }

  private func isTaken(_ index: IndexSchema, _ row: RowView) throws(StorageError) -> Bool {
    let table = model.table
    var conditions: [String] = []
    var values: [SQLiteValue] = []
    for column in index.columns {
      let found = try table.column(column.slot)
      let value = try row.value(found.slot, table.layout)
      if value.isNull { return false }
      conditions.append("\(found.ordered) = ?")
      values.append(try SQLiteValue(comparable: value, found.slot.type))
    }
    conditions.append("\(table.key.ordered) <> ?")
    let key = try row.value(table.key.slot, table.layout)
    values.append(try SQLiteValue(comparable: key, table.key.slot.type))
    let sql = "SELECT 1 FROM \(table.name) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1"
    return try connection.integer(sql, values) != nil
  }

  /// The primary key as people read it.
  private func key(_ row: RowView) -> String? {
    guard let value = try? row.value(model.table.key.slot, model.table.layout) else { return nil }
    return value.keyText
  }
}

extension Value {
  /// The value of a key as people read it.
  var keyText: String {
    switch self {
    case .null: "nil"
    case .bool(let value): String(value)
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .float(let value): value.description
    case .double(let value): value.description
    case .string(let value): value
    case .date(let value): String(value.timeIntervalSinceReferenceDate)
    case .data(let value): value.map { String($0, radix: 16) }.joined(separator: " ")
    case .uuid(let value): value.uuidString
    case .decimal(let value): value.description
    case .url(let value): value.absoluteString
    case .array, .object: kind
    }
  }
}
