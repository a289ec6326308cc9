import QuarryBackend
import QuarrySQL

/// The SQL of SQLite.
struct SQLiteDialect: SQLDialect {
  var parameters: SQLParameters { .anonymous }

  /// SQLite allows a depth of 1,000, and its parser has a stack of 100.
  var limits: SQLLimits { SQLLimits(depth: 700, stack: 80, nodes: 2_000, parameters: 20_000, inlineList: 256) }

  var same: String { "IS" }
  var different: String { "IS NOT" }

  func literal(_ value: Bool) -> String { value ? "1" : "0" }

  func constant(_ value: Value, _ type: PropertyType) throws(StorageError) -> SQLConstant {
    try SQLConstant(comparable: value, type)
  }

  func isNaN(_ constant: SQLConstant) -> Bool { constant == .blob(SQLConstant.nan) }

  // The plus, which changes no value, keeps the term away from indexes: SQLite takes the first upper bound that it meets,
  // and the one that the caller gave is the better one.
  func isNumber(_ column: String, isBound: Bool) -> String { "\(isBound ? "" : "+")\(column) <= 9e999" }
  func isNaN(_ column: String) -> String { "\(column) > 9e999" }

  func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm? {
    guard column.isText, let (operation, needle) = call.plainSearch else { return nil }
    switch operation {
    case .contains: return SQLTerm("instr(\(column.name), ?) > 0", [.text(needle)])
    case .hasSuffix:
      return SQLTerm("substr(CAST(\(column.name) AS BLOB), ?) = ?", [.integer(-Int64(needle.count)), .blob(needle)])
    case .equal, .hasPrefix, .like: return nil
    }
  }

  func end(ofPrefix prefix: [UInt8]) -> SQLConstant? {
    // No byte of UTF-8 is 0xFF, so that the last one can be raised.
    var end = prefix
    end[end.count - 1] += 1
    return .text(end)
  }

  func membership(_ column: SQLColumn, list: Int, isNegated: Bool) -> SQLTerm {
    let sign = isNegated ? "NOT IN" : "IN"
    return SQLTerm(
      "\(column.ordered) \(sign) (SELECT \"value\" FROM temp.\"_quarry_list\" WHERE \"list\" = ?)", [.list(list)])
  }

  func sortKey(_ column: SQLColumn, isDescending: Bool) -> String { column.ordered + (isDescending ? " DESC" : "") }
}

extension SQLiteTable: SQLTable {
  var dialect: any SQLDialect { SQLiteDialect() }

  func named(_ slot: Int) throws(StorageError) -> SQLColumn { try column(slot).named }
}
