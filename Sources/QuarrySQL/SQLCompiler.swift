import QuarryBackend

/// Compiles predicates into SQL with Quarry's meaning: two-valued, numbers by IEEE 754, text by its bytes.
///
/// A condition that SQL cannot express with that meaning becomes nil and is left to the common evaluator.
struct SQLCompiler {
  private let table: any SQLTable
  private let tables: any SQLTables
  private let dialect: any SQLDialect
  private let mark: String
  /// Long lists; ``SQLConstant/list(_:)`` stands for them among the constants.
  private(set) var lists: [SQLList] = []

  init(_ table: any SQLTable, _ tables: any SQLTables) {
    self.table = table
    self.tables = tables
    dialect = table.dialect
    mark = dialect.parameters.mark
  }

  /// The predicate in SQL, or nil.
  ///
  /// - Parameter isNegated: Whether the negation of the predicate is compiled.
  mutating func compile(
    _ predicate: BoundPredicate, isNegated: Bool = false
  ) throws(StorageError) -> SQLExpression? {
    switch predicate {
    case .constant(let value): return .constant(value != isNegated)
    case .not(let inner): return try compile(inner, isNegated: !isNegated)
    case .and(let parts): return try compile(parts, isAll: !isNegated, isNegated)
    case .or(let parts): return try compile(parts, isAll: isNegated, isNegated)
    case .isNull(let slot):
      let column = try table.named(slot)
      guard column.slot.isOptional else { return .constant(isNegated) }
      return .leaf("\(column.ordered) IS \(isNegated ? "NOT " : "")NULL", [])
    case .compare(let slot, let comparison, let value):
      return try compare(try table.named(slot), comparison, value, isNegated)
    case .compareSlots(let left, let comparison, let right):
      return compare(try table.named(left), comparison, try table.named(right), isNegated)
    case .oneOf(let slot, let values): return try oneOf(try table.named(slot), values, isNegated)
    case .oneOfRows(let slot, let rows): return try oneOf(try table.named(slot), rows, isNegated)
    case .function(let slot, let call): return function(try table.named(slot), call, isNegated)
    case .after(let keys, let values): return try after(keys, values, isNegated)
    // Databases turn integers that grow too large into floating point or fail, and count scalars and not characters.
    case .nested, .calculated: return nil
    }
  }

  private mutating func compile(
    _ parts: [BoundPredicate], isAll: Bool, _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    var compiled: [SQLExpression] = []
    for part in parts {
      guard let expression = try compile(part, isNegated: isNegated) else { return nil }
      compiled.append(expression)
    }
    return isAll ? .all(compiled) : .any(compiled)
  }

  /// A condition that may be NULL where it is false, as `substr` of an empty BLOB is; or its negation.
  private func leaf(_ sql: String, _ values: [SQLConstant], _ isNegated: Bool) -> SQLExpression {
    .leaf(isNegated ? "NOT coalesce(\(sql), \(dialect.literal(false)))" : sql, values)
  }

  /// A comparison with a constant, with the same of the beginnings where an index has these.
  ///
  /// What comes before another value has a beginning that comes before the other one's, or is the same.
  private func compared(_ column: SQLColumn, _ x: String, _ sign: String, _ constant: SQLConstant) -> SQLExpression {
    let whole = SQLExpression.leaf("\(x) \(sign) \(mark)", [constant])
    guard let beginning = column.beginning else { return whole }
    let loose = sign == "<" ? "<=" : sign == ">" ? ">=" : sign
    return .all([.leaf("\(beginning.column) \(loose) \(beginning.constant)", [constant]), whole])
  }

  private func leaf(_ term: SQLTerm?, _ isNegated: Bool) -> SQLExpression? {
    term.map { leaf($0.sql, $0.constants, isNegated) }
  }

  private func orNull(_ expression: SQLExpression, _ columns: [SQLColumn]) -> SQLExpression {
    .any([expression] + columns.filter(\.slot.isOptional).map { .leaf("\($0.ordered) IS NULL", []) })
  }

  // MARK: Comparisons

  private func compare(
    _ column: SQLColumn, _ comparison: Comparison, _ value: Value, _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard column.slot.type.isOrdered else { return nil }
    let constant = try dialect.constant(value, column.slot.type)
    if constant == .null { return nil }
    let x = column.ordered
    let isFloating = column.isFloatingPoint
    if isFloating, dialect.isNaN(constant) {
      return .constant((comparison == .notEqual) != isNegated)
    }
    switch comparison {
    case .equal, .notEqual:
      if (comparison == .equal) != isNegated { return compared(column, x, "=", constant) }
      return .leaf("\(x) \(column.slot.isOptional ? dialect.different : "<>") \(mark)", [constant])
    case .less, .lessOrEqual:
      let isLess = comparison == .less
      if !isNegated { return compared(column, x, isLess ? "<" : "<=", constant) }
      // NaN comes after every number, where it must be: it is not less.
      return orNull(.leaf("\(x) \(isLess ? ">=" : ">") \(mark)", [constant]), [column])
    case .greater, .greaterOrEqual:
      let isGreater = comparison == .greater
      if !isNegated {
        let lower = compared(column, x, isGreater ? ">" : ">=", constant)
        return isFloating ? .all([lower, isNumber(x)]) : lower
      }
      let upper = SQLExpression.leaf("\(x) \(isGreater ? "<=" : "<") \(mark)", [constant])
      return orNull(isFloating ? .any([upper, isNaN(x)]) : upper, [column])
    }
  }

  private func isNumber(_ x: String) -> SQLExpression { .leaf(dialect.isNumber(x, isBound: false), []) }
  private func isNaN(_ x: String) -> SQLExpression { .leaf(dialect.isNaN(x), []) }

  /// Two columns. Types whose columns a database compares otherwise than by their values are left to the evaluator.
  private func compare(
    _ left: SQLColumn, _ comparison: Comparison, _ right: SQLColumn, _ isNegated: Bool
  ) -> SQLExpression? {
    let isFloating = left.isFloatingPoint && right.isFloatingPoint
    let (leftType, rightType) = (left.slot.type, right.slot.type)
    guard leftType.isOrdered, rightType.isOrdered else { return nil }
    guard leftType == rightType || leftType.isInteger && rightType.isInteger else { return nil }
    let (a, b) = (left.ordered, right.ordered)
    switch comparison {
    case .equal, .notEqual:
      let isEqual = (comparison == .equal) != isNegated
      let same = SQLExpression.leaf("\(a) \(isEqual ? dialect.same : dialect.different) \(b)", [])
      guard isFloating else { return same }
      return isEqual ? .all([same, orNull(isNumber(a), [left])]) : .any([same, isNaN(a)])
    case .less: return order(left, "<", right, isFloating, isNegated)
    case .lessOrEqual: return order(left, "<=", right, isFloating, isNegated)
    case .greater: return order(right, "<", left, isFloating, isNegated)
    case .greaterOrEqual: return order(right, "<=", left, isFloating, isNegated)
    }
  }

  private func order(
    _ left: SQLColumn, _ sign: String, _ right: SQLColumn, _ isFloating: Bool, _ isNegated: Bool
  ) -> SQLExpression {
    let (a, b) = (left.ordered, right.ordered)
    // A number is not less than NaN, although it comes before it.
    let sql = isFloating ? "\(a) \(sign) \(b) AND \(dialect.isNumber(b, isBound: true))" : "\(a) \(sign) \(b)"
    return leaf(sql, [], isNegated)
  }

  // MARK: Lists

  private mutating func oneOf(
    _ column: SQLColumn, _ values: [Value], _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard column.slot.type.isOrdered else { return nil }
    var constants: [SQLConstant] = []
    constants.reserveCapacity(values.count)
    for value in values {
      let constant = try dialect.constant(value, column.slot.type)
      // NaN equals nothing.
      if constant == .null || column.isFloatingPoint && dialect.isNaN(constant) { continue }
      constants.append(constant)
    }
    guard let last = constants.last else { return .constant(isNegated) }
    let x = column.ordered
    let sign = isNegated ? "NOT IN" : "IN"
    let expression: SQLExpression
    if constants.count <= dialect.limits.inlineList {
      // Powers of two, so that lists of like lengths share a statement.
      var length = 1
      while length < constants.count { length *= 2 }
      constants += Array(repeating: last, count: length - constants.count)
      let parameters = Array(repeating: mark, count: length).joined(separator: ", ")
      expression = .leaf("\(x) \(sign) (\(parameters))", constants)
    } else {
      lists.append(SQLList(values: constants))
      let term = dialect.membership(column, list: lists.count - 1, isNegated: isNegated)
      expression = .leaf(term.sql, term.constants)
    }
    return isNegated ? orNull(expression, [column]) : expression
  }

  /// A column's value is one of the values of a column of other rows.
  ///
  /// Inside, names refer first to the other table, which has each of them.
  private mutating func oneOf(
    _ column: SQLColumn, _ rows: BoundSubquery, _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard let other = tables.table(of: rows.model) else { return nil }
    let found = try other.named(rows.slot)
    // NaN is in a column and equals nothing.
    guard column.slot.type.isOrdered, column.slot.type == found.slot.type, !column.isFloatingPoint else { return nil }
    var inner = SQLCompiler(other, tables)
    inner.lists = lists
    guard let condition = try inner.compile(rows.predicate) else { return nil }
    if case .constant(false) = condition { return .constant(isNegated) }
    lists = inner.lists
    let isPresent = SQLExpression.leaf("\(found.ordered) IS NOT NULL", [])
    let end: (String, [SQLConstant]) =
      if let count = rows.count {
        (" GROUP BY \(found.ordered) HAVING count(*) \(sign(count.comparison)) \(mark))", [.integer(count.number)])
      } else {
        (")", [])
      }
    let expression = SQLExpression.rows(
      "\(column.ordered) \(isNegated ? "NOT IN" : "IN") (SELECT \(found.ordered) FROM \(other.name) WHERE ",
      found.slot.isOptional ? .all([isPresent, condition]) : condition, end.0, end.1)
    return isNegated ? orNull(expression, [column]) : expression
  }

  private func sign(_ comparison: Comparison) -> String {
    switch comparison {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  // MARK: Functions

  /// A call as a comparison with the ends of its range, or as the dialect has it.
  private func function(_ column: SQLColumn, _ call: BoundFunction, _ isNegated: Bool) -> SQLExpression? {
    guard column.isText, let range = call.range else { return leaf(dialect.function(call, column), isNegated) }
    let x = column.name
    switch range {
    case .every:
      guard column.slot.isOptional else { return .constant(!isNegated) }
      return .leaf("\(x) IS \(isNegated ? "" : "NOT ")NULL", [])
    case .equal(let text):
      let constant = SQLConstant.text(Array(text.utf8))
      if !isNegated { return compared(column, x, "=", constant) }
      return .leaf("\(x) \(dialect.different) \(mark)", [constant])
    case .prefix(let prefix):
      let bytes = Array(prefix.utf8)
      guard let end = dialect.end(ofPrefix: bytes) else { return nil }
      if !isNegated {
        return .all([compared(column, x, ">=", .text(bytes)), compared(column, x, "<", end)])
      }
      return orNull(.any([.leaf("\(x) < \(mark)", [.text(bytes)]), .leaf("\(x) >= \(mark)", [end])]), [column])
    }
  }

  // MARK: Paging

  /// The rows after a position: greater in the first key, or equal in it and greater in the next, and so on.
  private func after(
    _ keys: [BoundSortKey], _ values: [Value], _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard keys.count == values.count, !keys.isEmpty else { return nil }
    var expression = SQLExpression.constant(false)
    for (key, value) in zip(keys, values).reversed() {
      let column = try table.named(key.slot)
      guard column.slot.type.isOrdered else { return nil }
      let constant = try dialect.constant(value, column.slot.type)
      let x = column.ordered
      let equal = SQLExpression.leaf("\(x) \(dialect.same) \(mark)", [constant])
      let beyond: SQLExpression
      if constant == .null {
        beyond = key.isDescending ? .constant(false) : .leaf("\(x) IS NOT NULL", [])
      } else if key.isDescending {
        beyond = orNull(.leaf("\(x) < \(mark)", [constant]), [column])
      } else {
        beyond = .leaf("\(x) > \(mark)", [constant])
      }
      expression = .any([beyond, .all([equal, expression])])
    }
    if isNegated {
      var sql = ""
      var constants: [SQLConstant] = []
      guard expression.cost.depth < dialect.limits.depth else { return nil }
      expression.write(to: &sql, &constants, dialect)
      return .leaf("NOT coalesce(\(sql), \(dialect.literal(false)))", constants)
    }
    // The same once more for the first key alone, from which a database sees where in an index to begin.
    let first = try table.named(keys[0].slot)
    let constant = try dialect.constant(values[0], first.slot.type)
    if constant != .null, keys.count > 1, !keys[0].isDescending || !first.slot.isOptional {
      let begin = compared(first, first.ordered, keys[0].isDescending ? "<=" : ">=", constant)
      return .all([begin, expression])
    }
    return expression
  }
}
