/// A condition in SQL with its constants.
///
/// It is true where the condition of the query is true, and false or NULL elsewhere: `NOT` never stands above another
/// expression, because ``SQLCompiler`` has moved it down to the leaves, so that NULL need not be told from false.
indirect enum SQLExpression {
  case constant(Bool)
  case leaf(String, [SQLiteValue])
  case and([SQLExpression])
  case or([SQLExpression])

  /// The parts that all have to be true.
  var conjuncts: [SQLExpression] {
    switch self {
    case .constant(true): []
    case .and(let parts): parts.flatMap(\.conjuncts)
    default: [self]
    }
  }

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

  /// What an expression asks of SQLite.
  struct Cost {
    /// The depth of the tree, of which SQLite allows 1,000.
    var depth: Int
    /// Places on the stack of SQLite's parser, which has 100.
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

  /// Adds the text and the constants, which are bound in that order.
  func write(to sql: inout String, _ values: inout [SQLiteValue]) {
    switch self {
    case .constant(let value): sql += value ? "1" : "0"
    case .leaf(let text, let constants):
      sql += text
      values += constants
    case .and(let parts): Self.write(parts[...], " AND ", to: &sql, &values)
    case .or(let parts): Self.write(parts[...], " OR ", to: &sql, &values)
    }
  }

  private static func write(
    _ parts: ArraySlice<SQLExpression>, _ joint: String, to sql: inout String, _ values: inout [SQLiteValue]
  ) {
    if parts.count > row {
      let middle = parts.startIndex + parts.count / 2
      sql += "("
      write(parts[..<middle], joint, to: &sql, &values)
      sql += ")\(joint)("
      write(parts[middle...], joint, to: &sql, &values)
      sql += ")"
      return
    }
    for (index, part) in parts.enumerated() {
      if index > 0 { sql += joint }
      switch part {
      case .constant: part.write(to: &sql, &values)
      case .leaf, .and, .or:
        sql += "("
        part.write(to: &sql, &values)
        sql += ")"
      }
    }
  }
}
