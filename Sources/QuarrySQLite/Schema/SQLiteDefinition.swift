import Foundation
import QuarryBackend
import QuarrySQL

/// The definitions of tables and indexes, written so that a person can read them in `.schema`.
enum SQLiteDefinition {
  /// The definition of a model's table.
  ///
  /// An integer key is SQLite's own row number. A table with another key is stored in the order of the key, without a second
  /// tree. The key is its first column, because SQLite's check of NOT NULL otherwise reads the wrong columns of such a table
  /// (seen in 3.40.1: `pragma integrity_check` reports nil values that are not there).
  static func createTable(_ model: ModelSchema) -> String {
    let key = model.keyProperty
    let keyKind = SQLiteColumnKind(key.type)
    var lines: [String] = []
    var hidden: [String] = []
    for property in model.properties where !property.isDropped {
      let isKey = property.name.utf8.elementsEqual(key.name.utf8)
      let kind = SQLiteColumnKind(property.type)
      let orders = kind == .decimal
      var line = "  \(SQLiteName.quoted(property.name)) \(kind.declaredType)"
      if isKey, keyKind.isRowNumber {
        line += " PRIMARY KEY"
      } else {
        line += constraint(property, kind) + reference(property, kind)
        if isKey, !orders { line += " PRIMARY KEY" }
      }
      if isKey { lines.insert(line, at: 0) } else { lines.append(line) }
      guard orders else { continue }
      let order = "  \(SQLiteName.order(of: property.name)) BLOB\(property.isOptional ? "" : " NOT NULL")"
      if isKey { lines.insert("\(order) PRIMARY KEY", at: 0) } else { hidden.append(order) }
    }
    if needsNaN(model) { hidden.append("  \(SQLiteName.nan) BLOB") }
    let options = keyKind.isRowNumber ? "STRICT" : "STRICT, WITHOUT ROWID"
    return "CREATE TABLE \(SQLiteName.quoted(model.name)) (\n\((lines + hidden).joined(separator: ",\n"))\n) \(options)"
  }

  /// Whether the model's table has, or must get, the column for the bits of NaNs.
  static func needsNaN(_ model: ModelSchema) -> Bool {
    model.properties.contains { SQLiteColumnKind($0.type).isFloatingPoint }
  }

  private static func constraint(_ property: PropertySchema, _ kind: SQLiteColumnKind) -> String {
    var text = property.isOptional ? "" : " NOT NULL"
    // The order of a decimal has no default, so that a row which is added by hand cannot leave the two unlike.
    if kind != .decimal, let literal = property.defaultValue.flatMap({ self.literal($0, property) }) {
      text += " DEFAULT \(literal)"
    }
    return text
  }

  /// The property's reference, for other programs and for `PRAGMA foreign_key_check`.
  ///
  /// The connections of Quarry have no foreign keys, because the layer above keeps references on every engine alike.
  ///
  /// A decimal is no column of its own, and SQLite compares numbers of floating point as it does and not as keys: these
  /// have none.
  private static func reference(_ property: PropertySchema, _ kind: SQLiteColumnKind) -> String {
    guard let reference = property.reference, kind != .decimal, !kind.isFloatingPoint else { return "" }
    let action =
      switch reference.deleteRule {
      case .cascade: " ON DELETE CASCADE"
      case .nullify: " ON DELETE SET NULL"
      case .deny: ""
      }
    return " REFERENCES \(SQLiteName.quoted(reference.model))\(action)"
  }

  /// The column of an added property, or nil when rows cannot be given its default by the definition alone.
  static func addColumn(_ property: PropertySchema) -> String? {
    let kind = SQLiteColumnKind(property.type)
    let column = "\(SQLiteName.quoted(property.name)) \(kind.declaredType)"
    guard let value = property.defaultValue else { return column + reference(property, kind) }
    guard kind != .decimal, let literal = literal(value, property) else { return nil }
    return "\(column)\(property.isOptional ? "" : " NOT NULL") DEFAULT \(literal)"
  }

  /// A default as SQL, or nil when it has no plain literal.
  static func literal(_ value: Value, _ property: PropertySchema) -> String? {
    switch (property.type, value) {
    case (_, .bool(let value)): return value ? "1" : "0"
    case (.nested, _), (.array, _):
      let element = property.type == .array ? property.elementType : nil
      guard let json = NestedJSON.encode(value, element: element) else { return nil }
      return text(String(decoding: json, as: UTF8.self))
    case (_, .int(let value)):
      // The least integer cannot be written as a negated one.
      return value == .min ? nil : String(value)
    case (_, .double(let value)): return number(value)
    case (_, .float(let value)): return number(Double(value))
    case (_, .date(let value)): return number(value.timeIntervalSinceReferenceDate)
    case (_, .string(let value)): return text(value)
    case (_, .url(let value)): return text(value.absoluteString)
    case (_, .uuid(let value)): return text(value.uuidString)
    case (_, .data(let value)): return blob(Array(value))
    default: return nil
    }
  }

  private static func number(_ value: Double) -> String? {
    guard value.isFinite, !(value == 0 && value.sign == .minus) else { return nil }
    return value.description
  }

  private static func text(_ string: String) -> String? {
    guard !string.utf8.contains(0) else { return nil }
    var result = "'"
    for scalar in string.unicodeScalars {
      if scalar == "'" { result += "''" } else { result.unicodeScalars.append(scalar) }
    }
    return result + "'"
  }

  static func blob(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    return "X'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
  }

  /// The name of an index in the database: the model's and its own, unless something else has that name.
  /// SQLite keeps names that begin with `sqlite_` for itself, so that a model named so has spare names.
  static func indexName(_ model: ModelSchema, _ index: IndexSchema) -> String {
    let name = "\(model.name)_\(index.name)"
    return name.lowercased().hasPrefix("sqlite_") ? spareIndexName(index) : name
  }

  /// The name that an index has instead when its own is taken.
  static func spareIndexName(_ index: IndexSchema) -> String { "_quarry_index_\(index.id)" }

  /// The definition of an index.
  ///
  /// SQLite ends every index with the table's key in ascending order. Where the last column descends, the key is named
  /// with the same direction, so that rows of equal values come in the order that queries ask for.
  static func createIndex(_ model: ModelSchema, _ index: IndexSchema, name: String) throws(StorageError) -> String {
    let table = try SQLiteTable(model)
    var columns: [String] = []
    for column in index.columns {
      columns.append(try table.column(column.slot).ordered + (column.isDescending ? " DESC" : ""))
    }
    if !index.isUnique, index.columns.last?.isDescending == true,
      !index.columns.contains(where: { $0.slot == model.primaryKey })
    {
      columns.append(table.key.ordered + " DESC")
    }
    let kind = index.isUnique ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
    return "\(kind) \(SQLiteName.quoted(name)) ON \(table.name) (\(columns.joined(separator: ", ")))"
  }
}
