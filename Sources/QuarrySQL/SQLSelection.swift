public import QuarryBackend

/// A query's predicate, split into what the database decides and what the common evaluator decides row by row.
public struct SQLSelection {
  /// The conditions that the database decides, all of which must hold.
  public private(set) var pushed: [BoundPredicate] = []
  /// The conditions that are left to the common evaluator.
  public private(set) var residual: [BoundPredicate] = []
  private var expression: SQLExpression = .constant(true)
  /// The long lists of the conditions, which a statement finds as its dialect says.
  public private(set) var lists: [SQLList] = []
  private let dialect: any SQLDialect

  /// Splits a predicate.
  ///
  /// A conjunct that SQL cannot say with Quarry's meaning, or that exceeds ``SQLDialect/limits``, is left to the evaluator.
  ///
  /// - Parameters:
  ///   - predicate: The condition of a query.
  ///   - table: The table of the query's model.
  ///   - tables: The tables that conditions on other models lead to.
  /// - Throws: `invalidQuery` for a constant that is not of its column's type; what the table and its dialect throw.
  /// - Complexity: Grows with the number of conditions and constants.
  public init(
    _ predicate: BoundPredicate, _ table: any SQLTable, in tables: any SQLTables
  ) throws(StorageError) {
    dialect = table.dialect
    let limits = dialect.limits
    var compiler = SQLCompiler(table, tables)
    var expressions: [SQLExpression] = []
    var nodes = 0
    var parameters = 0
    for part in Self.conjuncts(predicate) {
      let kept = compiler
      if let expression = try compiler.compile(part) {
        let cost = expression.cost
        if cost.depth <= limits.depth, cost.stack <= limits.stack,
          nodes + cost.nodes <= limits.nodes, parameters + cost.parameters <= limits.parameters
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

  /// The part of the predicate that is left to the evaluator, or nil.
  public var residualPredicate: BoundPredicate? {
    residual.isEmpty ? nil : residual.count == 1 ? residual[0] : .and(residual)
  }

  /// ` WHERE …`, or nothing where the database decides nothing.
  ///
  /// - Parameter values: The constants of the statement so far. The constants of the clause are added, in the order of its
  ///   parameters.
  public func whereClause(_ values: inout [SQLConstant]) -> String {
    if case .constant(true) = expression { return "" }
    // In parentheses, so that another condition can follow.
    var sql = " WHERE ("
    let count = values.count
    expression.write(to: &sql, &values, dialect)
    return dialect.parameters.written(sql + ")", after: count)
  }

  /// ` ORDER BY …`, up to the primary key, after which nothing is left to order.
  ///
  /// - Parameters:
  ///   - keys: The sort keys of the query, the primary key last.
  ///   - table: The table of the model, which names the columns.
  /// - Throws: `unsupported` for a property that has no order.
  public static func orderClause(_ keys: [BoundSortKey], _ table: any SQLTable) throws(StorageError) -> String {
    var columns: [String] = []
    for key in keys {
      let column = try table.named(key.slot)
      guard column.slot.type.isOrdered else {
        throw StorageError.unsupported(.querySort, "a property of type \(column.slot.type.name) has no order")
      }
      columns.append(table.dialect.sortKey(column, isDescending: key.isDescending))
      // Nothing comes after the primary key.
      if key.slot == table.model.primaryKey { break }
    }
    return columns.isEmpty ? "" : " ORDER BY " + columns.joined(separator: ", ")
  }
}
