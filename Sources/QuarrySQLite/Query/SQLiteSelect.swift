import QuarryBackend
import QuarrySQL

/// A query as a statement of SQLite, and what is to be done with its rows.
struct SQLiteSelect {
  let table: SQLiteTable
  let selection: SQLSelection
  let plan: SQLiteReadPlan
  /// The text after the columns.
  private let tail: String
  /// Whether SQLite may sort the rows, before which it would call a function for all of them.
  private let mayBeSorted: Bool
  let values: [SQLConstant]
  /// The offset that the cursor applies itself, because it filters rows after SQLite.
  let offset: Int
  let limit: Int?

  init(_ query: BoundQuery, _ table: SQLiteTable, in tables: SQLiteSchemaState) throws(StorageError) {
    let selection = try SQLSelection(query.predicate, table, in: tables)
    self.table = table
    self.selection = selection
    var slots: Set<Int>?
    if let projection = query.projection {
      var needed = Set(projection)
      for part in selection.residual { part.collectSlots(&needed) }
      slots = needed
    }
    let plan = try table.readPlan(slots.map { Array($0) })
    self.plan = plan
    var values: [SQLConstant] = []
    var sql = " FROM " + table.name
    sql += selection.whereClause(&values)
    sql += try SQLSelection.orderClause(query.order, table)
    if selection.residual.isEmpty {
      sql += Self.limitClause(query, &values)
      offset = 0
      limit = nil
    } else {
      offset = query.offset
      limit = query.limit
    }
    tail = sql
    mayBeSorted = query.order.count > 1
    self.values = values
  }

  /// The same with other constants.
  init(_ other: SQLiteSelect, _ values: [SQLConstant]) {
    table = other.table
    selection = other.selection
    plan = other.plan
    tail = other.tail
    mayBeSorted = other.mayBeSorted
    self.values = values
    offset = other.offset
    limit = other.limit
  }

  var sql: String { "SELECT " + plan.list + tail }

  /// The same by ``SQLiteRowFunction``; nil where it is of no use.
  func callSQL(_ function: SQLiteRowFunction) -> String? {
    guard function.isUsable, !mayBeSorted, let call = plan.call else { return nil }
    return "SELECT " + call + tail
  }

  /// ` LIMIT … OFFSET …`, bound.
  static func limitClause(_ query: BoundQuery, _ values: inout [SQLConstant]) -> String {
    guard query.limit != nil || query.offset > 0 else { return "" }
    values.append(.integer(Int64(query.limit ?? -1)))
    guard query.offset > 0 else { return " LIMIT ?" }
    values.append(.integer(Int64(query.offset)))
    return " LIMIT ? OFFSET ?"
  }
}
