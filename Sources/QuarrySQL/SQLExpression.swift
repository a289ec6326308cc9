/// A condition in SQL with its constants.
///
/// It is true where the condition of the query is true, and false or NULL elsewhere. `NOT` is never above another expression,
/// because ``SQLCompiler`` has moved it down to the leaves. So NULL need not be told from false.
indirect enum SQLExpression {
  case constant(Bool)
  /// A text and the constants of its parameters, which stand in it as the dialect's mark.
  case leaf(String, [SQLConstant])
  /// A test of a value against other rows: the text before their condition, the condition, what comes after it and that
  /// one's constants.
  case rows(String, SQLExpression, String, [SQLConstant])
  case and([SQLExpression])
  case or([SQLExpression])

  static func all(_ parts: [SQLExpression]) -> SQLExpression {
    var kept: [SQLExpression] = []
    for part in parts {
      switch part {
      case .constant(true): continue
      case .constant(false): return part
      case .and(let inner): kept += inner
      default: kept.append(part)
      }
    }
    return kept.isEmpty ? .constant(true) : kept.count == 1 ? kept[0] : .and(kept)
  }

  static func any(_ parts: [SQLExpression]) -> SQLExpression {
    var kept: [SQLExpression] = []
    for part in parts {
      switch part {
      case .constant(false): continue
      case .constant(true): return part
      case .or(let inner): kept += inner
      default: kept.append(part)
      }
    }
    return kept.isEmpty ? .constant(false) : kept.count == 1 ? kept[0] : .or(kept)
  }

  /// The resources that an expression needs of a database.
  struct Cost {
    /// The depth of the tree.
    var depth: Int
    /// Places on the stack of a parser that reads from left to right.
    var stack: Int
    var parameters: Int
    var nodes: Int
  }

  /// So many operands stand side by side; more are put into parentheses by halves, so that the tree stays flat.
  private static let row = 16

  /// The cost, computed as ``text(_:)`` writes.
  var cost: Cost {
    switch self {
    case .constant: return Cost(depth: 1, stack: 1, parameters: 0, nodes: 1)
    case .leaf(_, let values): return Cost(depth: 8, stack: 12, parameters: values.count, nodes: 1)
    case .rows(_, let condition, _, let values):
      var cost = condition.cost
      cost.depth += 8
      cost.stack += 14
      cost.parameters += values.count
      cost.nodes += 1
      return cost
    case .and(let parts), .or(let parts):
      var total = Cost(depth: 0, stack: 0, parameters: 0, nodes: 1)
      for part in parts {
        let cost = part.cost
        total.depth = max(total.depth, cost.depth)
        total.stack = max(total.stack, cost.stack)
        total.parameters += cost.parameters
        total.nodes += cost.nodes
      }
      var count = parts.count
      total.depth += min(count, Self.row)
      total.stack += 4
      while count > Self.row {
        count = (count + 1) / 2
        total.depth += 1
        total.stack += 4
      }
      return total
    }
  }

  /// Adds the text, with a mark for each parameter, and the constants, which are bound in that order.
  func write(to sql: inout String, _ values: inout [SQLConstant], _ dialect: any SQLDialect) {
    switch self {
    case .constant(let value): sql += dialect.literal(value)
    case .leaf(let text, let constants):
      sql += text
      values += constants
    case .rows(let start, let condition, let end, let constants):
      sql += start
      condition.write(to: &sql, &values, dialect)
      sql += end
      values += constants
    case .and(let parts): Self.write(parts[...], " AND ", to: &sql, &values, dialect)
    case .or(let parts): Self.write(parts[...], " OR ", to: &sql, &values, dialect)
    }
  }

  private static func write(
    _ parts: ArraySlice<SQLExpression>, _ joint: String, to sql: inout String, _ values: inout [SQLConstant],
    _ dialect: any SQLDialect
  ) {
    if parts.count > row {
      let middle = parts.startIndex + parts.count / 2
      sql += "("
      write(parts[..<middle], joint, to: &sql, &values, dialect)
      sql += ")\(joint)("
      write(parts[middle...], joint, to: &sql, &values, dialect)
      sql += ")"
      return
    }
    for (index, part) in parts.enumerated() {
      if index > 0 { sql += joint }
      switch part {
      case .constant: part.write(to: &sql, &values, dialect)
      case .leaf, .rows, .and, .or:
        sql += "("
        part.write(to: &sql, &values, dialect)
        sql += ")"
      }
    }
  }
}
