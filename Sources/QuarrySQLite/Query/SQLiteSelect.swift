import QuarryBackend
import QuarrySQL

/// A query, or the count of its rows, as a statement of SQLite, and what is to be done with its rows.
struct SQLiteSelect {
  let table: SQLiteTable
  let selection: SQLSelection
  let plan: SQLiteReadPlan
  /// Whether the statement counts, which it can where all of the selection is SQLite's.
  let counts: Bool
  let sql: String
  private let call: String?
  let values: [SQLConstant]
  /// The offset that the cursor applies itself, because it filters rows after SQLite.
  let offset: Int
  let limit: Int?

  init(
    _ query: BoundQuery, _ table: SQLiteTable, in tables: SQLiteSchemaState, counts: Bool = false
  ) throws(StorageError) {
    let selection = try SQLSelection(query.predicate, table, in: tables)
    self.table = table
    self.selection = selection
    self.counts = counts
    var slots: Set<Int>?
    if let projection = query.projection {
      var needed = Set(projection)
      for part in selection.residual { part.collectSlots(&needed) }
      slots = needed
    }
    let plan = try table.readPlan(slots.map { Array($0) })
    self.plan = plan
    var values: [SQLConstant] = []
    var tail = " FROM " + table.name
    tail += selection.whereClause(&values)
    if !counts { tail += try SQLSelection.orderClause(query.order, table) }
    if selection.residual.isEmpty {
      tail += Self.limitClause(query, &values)
      offset = 0
      limit = nil
    } else {
      offset = query.offset
      limit = query.limit
    }
    if !counts {
      sql = "SELECT " + plan.list + tail
    } else if query.limit != nil || query.offset > 0 {
      sql = "SELECT count(*) FROM (SELECT 1" + tail + ")"
    } else {
      sql = "SELECT count(*)" + tail
    }
    // SQLite may sort the rows, before which it would call a function for all of them.
    let mayBeSorted = query.order.count > 1
    call = counts || mayBeSorted ? nil : plan.call.map { "SELECT " + $0 + tail }
    self.values = values
  }

  /// The same with other constants.
  init(_ other: SQLiteSelect, _ values: [SQLConstant]) {
    table = other.table
    selection = other.selection
    plan = other.plan
    counts = other.counts
    sql = other.sql
    call = other.call
    self.values = values
    offset = other.offset
    limit = other.limit
  }

  /// The same by ``SQLiteRowFunction``; nil where it is of no use.
  func callSQL(_ function: SQLiteRowFunction) -> String? {
    function.isUsable ? call : nil
  }

  /// ` LIMIT … OFFSET …`, bound.
  private static func limitClause(_ query: BoundQuery, _ values: inout [SQLConstant]) -> String {
    guard query.limit != nil || query.offset > 0 else { return "" }
    values.append(.integer(Int64(query.limit ?? -1)))
    guard query.offset > 0 else { return " LIMIT ?" }
    values.append(.integer(Int64(query.offset)))
    return " LIMIT ? OFFSET ?"
  }
}
