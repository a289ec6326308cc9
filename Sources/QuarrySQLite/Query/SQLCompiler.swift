import QuarryBackend

/// Compiles predicates into SQL with Quarry's meaning: two-valued, numbers by IEEE 754, text by its bytes.
///
/// What SQL cannot say with that meaning gives nil and is left to the common evaluator.
struct SQLCompiler {
  let table: SQLiteTable
  /// The most constants that a list has inside the statement; longer ones go through a temporary table.
  static let longestInlineList = 256
  /// Lists for the temporary table; ``SQLiteValue/list(_:)`` stands for them among the constants.
  private(set) var lists: [SQLiteList] = []

  /// Bounds of what SQLite is given; what is above is left to the evaluator.
  static let mostDepth = 700
  static let mostStack = 80
  static let mostNodes = 2_000
  static let mostParameters = 20_000

  init(_ table: SQLiteTable) {
    self.table = table
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
      let column = try table.column(slot)
      guard column.slot.isOptional else { return .constant(isNegated) }
      return .leaf("\(column.ordered) IS \(isNegated ? "NOT " : "")NULL", [])
    case .compare(let slot, let comparison, let value):
      return try compare(try table.column(slot), comparison, value, isNegated)
    case .compareSlots(let left, let comparison, let right):
      return compare(try table.column(left), comparison, try table.column(right), isNegated)
    case .oneOf(let slot, let values): return try oneOf(try table.column(slot), values, isNegated)
    case .text(let slot, let function, let needle, let options):
      return try text(try table.column(slot), function, needle, options, isNegated)
    case .after(let keys, let values): return try after(keys, values, isNegated)
    // SQLite turns integers that grow too large into floating point, and counts scalars and not characters.
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
  private func leaf(_ sql: String, _ values: [SQLiteValue], _ isNegated: Bool) -> SQLExpression {
    .leaf(isNegated ? "NOT coalesce(\(sql), 0)" : sql, values)
  }

  private func orNull(_ expression: SQLExpression, _ columns: [SQLiteColumn]) -> SQLExpression {
    .any([expression] + columns.filter(\.slot.isOptional).map { .leaf("\($0.ordered) IS NULL", []) })
  }

  // MARK: Comparisons

  private func compare(
    _ column: SQLiteColumn, _ comparison: Comparison, _ value: Value, _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard column.slot.type.isOrdered else { return nil }
    let constant = try SQLiteValue(comparable: value, column.slot.type)
    if constant == .null { return nil }
    let x = column.ordered
    let isFloating = column.kind.isFloatingPoint
    if isFloating, constant == .blob(SQLiteValue.nan) {
      return .constant((comparison == .notEqual) != isNegated)
    }
    switch comparison {
    case .equal, .notEqual:
      if (comparison == .equal) != isNegated { return .leaf("\(x) = ?", [constant]) }
      return .leaf(column.slot.isOptional ? "\(x) IS NOT ?" : "\(x) <> ?", [constant])
    case .less, .lessOrEqual:
      let isLess = comparison == .less
      if !isNegated { return .leaf("\(x) \(isLess ? "<" : "<=") ?", [constant]) }
      // NaN comes after every number, where it must be: it is not less.
      return orNull(.leaf("\(x) \(isLess ? ">=" : ">") ?", [constant]), [column])
    case .greater, .greaterOrEqual:
      let isGreater = comparison == .greater
      if !isNegated {
        let lower = SQLExpression.leaf("\(x) \(isGreater ? ">" : ">=") ?", [constant])
        return isFloating ? .all([lower, isNumber(x)]) : lower
      }
      let upper = SQLExpression.leaf("\(x) \(isGreater ? "<=" : "<") ?", [constant])
      return orNull(isFloating ? .any([upper, isNaN(x)]) : upper, [column])
    }
  }

  // The plus, which changes no value, keeps the term away from indexes: SQLite takes the first upper bound that it meets,
  // and the one that the caller gave is the better one.
  private func isNumber(_ x: String) -> SQLExpression { .leaf("+\(x) <= 9e999", []) }
  private func isNaN(_ x: String) -> SQLExpression { .leaf("\(x) > 9e999", []) }

  /// Two columns. Types whose columns SQLite compares otherwise than by their values are left to the evaluator.
  private func compare(
    _ left: SQLiteColumn, _ comparison: Comparison, _ right: SQLiteColumn, _ isNegated: Bool
  ) -> SQLExpression? {
    let isFloating = left.kind.isFloatingPoint && right.kind.isFloatingPoint
    let (leftType, rightType) = (left.slot.type, right.slot.type)
    guard leftType.isOrdered, rightType.isOrdered else { return nil }
    guard leftType == rightType || leftType.isInteger && rightType.isInteger else { return nil }
    let (a, b) = (left.ordered, right.ordered)
    switch comparison {
    case .equal, .notEqual:
      let isEqual = (comparison == .equal) != isNegated
      let same = SQLExpression.leaf("\(a) IS \(isEqual ? "" : "NOT ")\(b)", [])
      guard isFloating else { return same }
      return isEqual ? .all([same, orNull(isNumber(a), [left])]) : .any([same, isNaN(a)])
    case .less: return order(left, "<", right, isFloating, isNegated)
    case .lessOrEqual: return order(left, "<=", right, isFloating, isNegated)
    case .greater: return order(right, "<", left, isFloating, isNegated)
    case .greaterOrEqual: return order(right, "<=", left, isFloating, isNegated)
    }
  }

  private func order(
    _ left: SQLiteColumn, _ sign: String, _ right: SQLiteColumn, _ isFloating: Bool, _ isNegated: Bool
  ) -> SQLExpression {
    let (a, b) = (left.ordered, right.ordered)
    // A number is not less than NaN, although it comes before it.
    let sql = isFloating ? "\(a) \(sign) \(b) AND \(b) <= 9e999" : "\(a) \(sign) \(b)"
    return leaf(sql, [], isNegated)
  }

  // MARK: Lists

  private mutating func oneOf(
    _ column: SQLiteColumn, _ values: [Value], _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard column.slot.type.isOrdered else { return nil }
    var constants: [SQLiteValue] = []
    constants.reserveCapacity(values.count)
    for value in values {
      let constant = try SQLiteValue(comparable: value, column.slot.type)
      // NaN equals nothing.
      if constant == .null || column.kind.isFloatingPoint && constant == .blob(SQLiteValue.nan) { continue }
      constants.append(constant)
    }
    guard let last = constants.last else { return .constant(isNegated) }
    let x = column.ordered
    let sign = isNegated ? "NOT IN" : "IN"
    let expression: SQLExpression
    if constants.count <= Self.longestInlineList {
      // Powers of two, so that lists of like lengths share a statement.
      var length = 1
      while length < constants.count { length *= 2 }
      constants += Array(repeating: last, count: length - constants.count)
      let parameters = Array(repeating: "?", count: length).joined(separator: ", ")
      expression = .leaf("\(x) \(sign) (\(parameters))", constants)
    } else {
      lists.append(SQLiteList(values: constants))
      expression = .leaf(
        "\(x) \(sign) (SELECT \"value\" FROM temp.\"_quarry_list\" WHERE \"list\" = ?)",
        [.list(lists.count - 1)])
    }
    return isNegated ? orNull(expression, [column]) : expression
  }

  // MARK: Text

  private func text(
    _ column: SQLiteColumn, _ function: TextOperator, _ needle: String, _ options: TextOptions, _ isNegated: Bool
  ) throws(StorageError) -> SQLExpression? {
    guard options.isEmpty, column.kind == .text else { return nil }
    let x = column.name
    let bytes = Array(needle.utf8)
    if bytes.isEmpty, function != .equal, function != .like {
      guard column.slot.isOptional else { return .constant(!isNegated) }
      return .leaf("\(x) IS \(isNegated ? "" : "NOT ")NULL", [])
    }
    switch function {
    case .equal:
      if !isNegated { return .leaf("\(x) = ?", [.text(bytes)]) }
      return .leaf("\(x) IS NOT ?", [.text(bytes)])
    case .contains: return leaf("instr(\(x), ?) > 0", [.text(bytes)], isNegated)
    case .hasPrefix:
      // The text after every text with the prefix: no byte of UTF-8 is 0xFF, so that the last one can be raised.
      var end = bytes
      end[end.count - 1] += 1
      if !isNegated { return .all([.leaf("\(x) >= ?", [.text(bytes)]), .leaf("\(x) < ?", [.text(end)])]) }
      return orNull(.any([.leaf("\(x) < ?", [.text(bytes)]), .leaf("\(x) >= ?", [.text(end)])]), [column])
    case .hasSuffix:
      return leaf(
        "substr(CAST(\(x) AS BLOB), ?) = ?", [.integer(-Int64(bytes.count)), .blob(bytes)], isNegated)
    case .like: return nil
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
      let column = try table.column(key.slot)
      guard column.slot.type.isOrdered else { return nil }
      let constant = try SQLiteValue(comparable: value, column.slot.type)
      let x = column.ordered
      let equal = SQLExpression.leaf("\(x) IS ?", [constant])
      let beyond: SQLExpression
      if constant == .null {
        beyond = key.isDescending ? .constant(false) : .leaf("\(x) IS NOT NULL", [])
      } else if key.isDescending {
        beyond = orNull(.leaf("\(x) < ?", [constant]), [column])
      } else {
        beyond = .leaf("\(x) > ?", [constant])
      }
      expression = .any([beyond, .all([equal, expression])])
    }
    if isNegated {
      var sql = ""
      var constants: [SQLiteValue] = []
      guard expression.cost.depth < Self.mostDepth else { return nil }
      expression.write(to: &sql, &constants)
      return .leaf("NOT coalesce(\(sql), 0)", constants)
    }
    // The same once more for the first key alone, from which SQLite sees where in an index to begin.
    let first = try table.column(keys[0].slot)
    let constant = try SQLiteValue(comparable: values[0], first.slot.type)
    if constant != .null, keys.count > 1, !keys[0].isDescending || !first.slot.isOptional {
      let begin = SQLExpression.leaf("\(first.ordered) \(keys[0].isDescending ? "<=" : ">=") ?", [constant])
      return .all([begin, expression])
    }
    return expression
  }
}

/// A long list of constants, which a statement finds in a temporary table under a number.
struct SQLiteList {
  let values: [SQLiteValue]
}
