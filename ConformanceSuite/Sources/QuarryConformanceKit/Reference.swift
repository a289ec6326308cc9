import Foundation
package import QuarryBackend
package import QuarryCore
package import QuarryQuery

/// What the contract says that a query gives, written as plainly as possible over values: no index, no binding, nothing
/// of the evaluator that backends use.
package enum Reference {
  // MARK: Values

  /// The order of two values in a predicate: less than 0, 0 or greater than 0; nil when neither is less nor equal.
  static func order(_ a: Value, _ b: Value) -> Int? {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.double(let a), .double(let b)): floating(a, b)
    case (.bool(let a), .bool(let b)): a == b ? 0 : b ? -1 : 1
    case (.string(let a), .string(let b)): bytes(a.utf8, b.utf8)
    case (.url(let a), .url(let b)): bytes(a.absoluteString.utf8, b.absoluteString.utf8)
    case (.data(let a), .data(let b)): bytes(a, b)
    case (.uuid(let a), .uuid(let b)): bytes(a.uuidString.utf8, b.uuidString.utf8)
    case (.date(let a), .date(let b)): floating(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
    default: numbers(a, b)
    }
  }

  private static func floating(_ a: Double, _ b: Double) -> Int? { a < b ? -1 : a > b ? 1 : a == b ? 0 : nil }

  private static func bytes(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
    a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
  }

  private static func numbers(_ a: Value, _ b: Value) -> Int? {
    guard isNumber(a), isNumber(b) else { return nil }
    if let left = exactDouble(a), let right = exactDouble(b) { return floating(left, right) }
    if let left = number(a), let right = number(b) { return ReferenceNumber.compare(left, right) }
    // A side is infinite or NaN, and the other is as good as any finite number.
    return floating(
      floating(a).flatMap { $0.isFinite ? nil : $0 } ?? 0, floating(b).flatMap { $0.isFinite ? nil : $0 } ?? 0)
  }

  static func isNumber(_ value: Value) -> Bool {
    switch value {
    case .int, .uint, .float, .double, .decimal: true
    default: false
    }
  }

  package static func number(_ value: Value) -> ReferenceNumber? {
    switch value {
    case .int(let value): ReferenceNumber(value)
    case .uint(let value): ReferenceNumber(value)
    case .float(let value): value.isFinite ? ReferenceNumber(Double(value)) : nil
    case .double(let value): value.isFinite ? ReferenceNumber(value) : nil
    case .decimal(let value): ReferenceNumber(value)
    default: nil
    }
  }

  /// The number as a Double where nothing is lost for sure.
  private static func exactDouble(_ value: Value) -> Double? {
    if case .int(let value) = value { return abs(value / 2) < 1 << 52 ? Double(value) : nil }
    return floating(value)
  }

  private static func floating(_ value: Value) -> Double? {
    switch value {
    case .float(let value): Double(value)
    case .double(let value): value
    case .date(let value): value.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  /// Equality in a predicate.
  package static func areEqual(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count
        && zip(a, b).allSatisfy { $0.name.utf8.elementsEqual($1.name.utf8) && areEqual($0.value, $1.value) }
    default: order(a, b) == 0
    }
  }

  static func holds(_ a: Value, _ comparison: Comparison, _ b: Value) -> Bool {
    switch comparison {
    case .equal: return areEqual(a, b)
    case .notEqual: return !areEqual(a, b)
    default: break
    }
    guard let order = order(a, b) else { return false }
    return switch comparison {
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    default: order >= 0
    }
  }

  /// The order of two values in results: nil first, all NaNs one value after everything else.
  package static func rank(_ a: Value, _ b: Value) -> Int {
    if a.isNull || b.isNull { return a.isNull ? (b.isNull ? 0 : -1) : 1 }
    let (left, right) = (floating(a)?.isNaN == true, floating(b)?.isNaN == true)
    if left || right { return left ? (right ? 0 : 1) : -1 }
    return order(a, b) ?? 0
  }

  // MARK: Predicates

  /// Whether the predicate is true of the row.
  package static func holds(_ predicate: PredicateTree, _ row: Record) -> Bool {
    holds(predicate) { $0.members.reduce(row[$0.property] ?? .null) { member($1, of: $0) } }
  }

  private static func holds(_ predicate: PredicateTree, _ value: (PropertyPath) -> Value) -> Bool {
    switch predicate {
    case .constant(let result): result
    case .not(let inner): !holds(inner, value)
    case .and(let parts): parts.allSatisfy { holds($0, value) }
    case .or(let parts): parts.contains { holds($0, value) }
    case .compare(let left, let comparison, let right) where isCalculated(left) || isCalculated(right):
      ReferenceCalculation.holds(left, comparison, right, value)
    case .oneOf(let operand, let list) where isCalculated(operand):
      list.contains { ReferenceCalculation.holds(operand, .equal, .value($0), value) }
    case .compare(let left, let comparison, let right):
      holds(operand(left, beside: right, value), comparison, operand(right, beside: left, value))
    case .oneOf(let operand, let list):
      list.contains { areEqual(Self.operand(operand, beside: .value(.null), value), constant($0, operand, value)) }
    case .function(let call): holds(call, value)
    case .any(let path, let inner):
      elements(value(path)).contains { element in holds(inner) { $0.members.reduce(element) { member($1, of: $0) } } }
    case .all(let path, let inner):
      elements(value(path)).allSatisfy { element in holds(inner) { $0.members.reduce(element) { member($1, of: $0) } } }
    }
  }

  private static func holds(_ call: FunctionCall, _ value: (PropertyPath) -> Value) -> Bool {
    switch call.form {
    case .text(let operand, let operation, let needle, let options):
      ReferenceText.matches(Self.operand(operand, beside: operand, value), operation, needle, options)
    case .containsElement(let path, let element): elements(value(path)).contains { areEqual($0, element) }
    case .call: call.expansion.map { holds($0, value) } ?? false
    }
  }

  private static func operand(_ operand: Operand, beside other: Operand, _ value: (PropertyPath) -> Value) -> Value {
    switch operand {
    case .property(let path): return value(path)
    case .count(let path):
      return length(value(path)).map { .int(Int64($0)) } ?? .null
    case .value(let constant): return Self.constant(constant, other, value)
    case .arithmetic: return .null
    }
  }

  private static func isCalculated(_ operand: Operand) -> Bool {
    if case .arithmetic = operand { return true }
    return false
  }

  /// The number of elements, characters or bytes.
  static func length(_ value: Value) -> Int? {
    switch value {
    case .array(let elements): elements.count
    case .string(let text): text.count
    case .data(let data): data.count
    default: nil
    }
  }

  /// A decimal that is compared with a Float or a Double stands for the nearest of these.
  private static func constant(_ constant: Value, _ other: Operand, _ value: (PropertyPath) -> Value) -> Value {
    guard case .decimal(let decimal) = constant, case .property(let path) = other else { return constant }
    switch value(path) {
    case .float:
      let nearest = Float(text(decimal)) ?? .nan
      return nearest.isFinite ? .float(nearest) : constant
    case .double: return .double(Double(text(decimal)) ?? .nan)
    default: return constant
    }
  }

  private static func text(_ decimal: Decimal) -> String {
    decimals.answer(DecimalKey(decimal)) { decimal.description }
  }

  private static let decimals = Memo<DecimalKey, String>()

  private static func elements(_ value: Value) -> [Value] {
    if case .array(let elements) = value { return elements }
    return []
  }

  private static func member(_ name: String, of value: Value) -> Value {
    guard case .object(let members) = value else { return .null }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value ?? .null
  }

  // MARK: Queries

  /// The rows of the query in its order.
  package static func rows(_ query: QueryTree, from rows: [Record], key: String = "id") -> [Record] {
    var order = query.order
    order.append(QueryTree.SortKey(key, isDescending: order.last?.isDescending ?? false))
    let sorted = rows.filter { holds(query.predicate, $0) }.sorted { left, right in
      for sortKey in order {
        let rank = rank(left[sortKey.property] ?? .null, right[sortKey.property] ?? .null)
        if rank != 0 { return sortKey.isDescending ? rank > 0 : rank < 0 }
      }
      return false
    }
    let rest = sorted.dropFirst(query.offset)
    return Array(query.limit.map { rest.prefix($0) } ?? rest)
  }
}
