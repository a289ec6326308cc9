import QuarryBackend

/// A query's predicate, split into what SQLite decides and what the common evaluator decides row by row.
struct SQLiteSelection {
  let table: SQLiteTable
  /// The conditions that SQLite decides, all of which must hold.
  private(set) var pushed: [BoundPredicate] = []
  private(set) var residual: [BoundPredicate] = []
  private(set) var expression: SQLExpression = .constant(true)
  private(set) var lists: [SQLiteList] = []

  init(_ predicate: BoundPredicate, _ table: SQLiteTable) throws(StorageError) {
    self.table = table
    var compiler = SQLCompiler(table)
    var expressions: [SQLExpression] = []
    var nodes = 0
    var parameters = 0
    for part in Self.conjuncts(predicate) {
      let kept = compiler
      if let expression = try compiler.compile(part) {
        let cost = expression.cost
        if cost.depth <= SQLCompiler.mostDepth, cost.stack <= SQLCompiler.mostStack,
          nodes + cost.nodes <= SQLCompiler.mostNodes, parameters + cost.parameters <= SQLCompiler.mostParameters
        {
          nodes += cost.nodes
          parameters += cost.parameters
          pushed.append(part)
          expressions.append(expression)
          continue
        }
      }
      compiler = kept
      residual.append(part)
    }
    expression = .all(expressions)
    lists = compiler.lists
  }

  private static func conjuncts(_ predicate: BoundPredicate) -> [BoundPredicate] {
    switch predicate {
    case .constant(true): []
    case .and(let parts): parts.flatMap(conjuncts)
    case .not(.not(let inner)): conjuncts(inner)
    case .not(.or(let parts)): parts.flatMap { conjuncts(.not($0)) }
    default: [predicate]
    }
  }

  /// What is left to the evaluator, or nil.
  var residualPredicate: BoundPredicate? {
    residual.isEmpty ? nil : residual.count == 1 ? residual[0] : .and(residual)
  }

  /// ` WHERE …`, and the constants.
  func whereClause(_ values: inout [SQLiteValue]) -> String {
    if case .constant(true) = expression { return "" }
    // In parentheses, so that another condition can follow.
    var sql = " WHERE ("
    expression.write(to: &sql, &values)
    return sql + ")"
  }

  /// ` ORDER BY …`
  static func orderClause(_ keys: [BoundSortKey], _ table: SQLiteTable) throws(StorageError) -> String {
    var columns: [String] = []
    for key in keys {
      let column = try table.column(key.slot)
      guard column.slot.type.isOrdered else {
        throw StorageError.unsupported(.querySort, "a property of type \(column.slot.type.name) has no order")
      }
      columns.append(column.ordered + (key.isDescending ? " DESC" : ""))
      // Nothing comes after the primary key.
      if key.slot == table.model.primaryKey { break }
    }
    return columns.isEmpty ? "" : " ORDER BY " + columns.joined(separator: ", ")
  }

  /// ` LIMIT … OFFSET …`, bound.
  static func limitClause(_ query: BoundQuery, _ values: inout [SQLiteValue]) -> String {
    guard query.limit != nil || query.offset > 0 else { return "" }
    values.append(.integer(Int64(query.limit ?? -1)))
    guard query.offset > 0 else { return " LIMIT ?" }
    values.append(.integer(Int64(query.offset)))
    return " LIMIT ? OFFSET ?"
  }
}

extension BoundPredicate {
  /// Adds the slots that the predicate looks at.
  func collectSlots(_ slots: inout Set<Int>) {
    switch self {
    case .constant: break
    case .isNull(let slot), .compare(let slot, _, _), .oneOf(let slot, _), .text(let slot, _, _, _),
      .nested(let slot, _):
      slots.insert(slot)
    case .compareSlots(let left, _, let right):
      slots.insert(left)
      slots.insert(right)
    case .calculated(let left, _, let right):
      left.collectSlots(&slots)
      right.collectSlots(&slots)
    case .after(let keys, _): slots.formUnion(keys.map(\.slot))
    case .not(let inner): inner.collectSlots(&slots)
    case .and(let parts), .or(let parts): for part in parts { part.collectSlots(&slots) }
    }
  }
}

/// A query as a statement of SQLite, and what is to be done with its rows.
struct SQLiteSelect {
  let selection: SQLiteSelection
  let plan: SQLiteReadPlan
  let sql: String
  let values: [SQLiteValue]
  /// What the cursor does itself, because it filters rows after SQLite.
  let offset: Int
  let limit: Int?

  init(_ query: BoundQuery, _ table: SQLiteTable) throws(StorageError) {
    guard query.offset >= 0, query.limit.map({ $0 >= 0 }) ?? true else {
      throw StorageError(.invalidQuery, "limit and offset must not be negative", model: table.model.name)
    }
    let selection = try SQLiteSelection(query.predicate, table)
    self.selection = selection
    var slots: Set<Int>?
    if let projection = query.projection {
      var needed = Set(projection)
      for part in selection.residual { part.collectSlots(&needed) }
      slots = needed
    }
    let plan = try table.readPlan(slots.map { Array($0) })
    self.plan = plan
    var values: [SQLiteValue] = []
    var sql = "SELECT \(plan.list) FROM \(table.name)"
    sql += selection.whereClause(&values)
    sql += try SQLiteSelection.orderClause(query.order, table)
    if selection.residual.isEmpty {
      sql += SQLiteSelection.limitClause(query, &values)
      offset = 0
      limit = nil
    } else {
      offset = query.offset
      limit = query.limit
    }
    self.sql = sql
    self.values = values
  }
}
