import Foundation

/// How predicates compare values: nil equals only nil and has no order, NaN equals nothing, numbers compare by their
/// exact values, other values of different kinds are unequal and have no order.
package enum PredicateEquality {
  package static func holds(_ a: Value, _ comparison: Comparison, _ b: Value) -> Bool {
    switch comparison {
    case .equal: return equal(a, b)
    case .notEqual: return !equal(a, b)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let order = order(a, b) else { return false }
      return comparison.holds(order)
    }
  }

  static func equal(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.array(let a), .array(let b)): return a.count == b.count && zip(a, b).allSatisfy { equal($0, $1) }
    case (.object(let a), .object(let b)): return equal(a, b)
    default: return order(a, b) == 0
    }
  }

  /// Members are in the order of their names. One that is missing is nil, and so is equal to one that is null.
  private static func equal(_ a: [Value.Member], _ b: [Value.Member]) -> Bool {
    let a = a.filter { !$0.value.isNull }
    let b = b.filter { !$0.value.isNull }
    return a.count == b.count
      && zip(a, b).allSatisfy { $0.name.utf8.elementsEqual($1.name.utf8) && equal($0.value, $1.value) }
  }

  /// Nil where the two have no order.
  private static func order(_ a: Value, _ b: Value) -> Int? {
    switch (a, b) {
    case (.bool, .bool), (.string, .string), (.url, .url), (.data, .data), (.uuid, .uuid):
      return ValueOrder.compare(a, b)
    case (.date(let a), .date(let b)):
      return ExactNumber.compare(
        .double(a.timeIntervalSinceReferenceDate), .double(b.timeIntervalSinceReferenceDate))
    default:
      guard let a = ExactNumber(a), let b = ExactNumber(b) else { return nil }
      return ExactNumber.compare(a, b)
    }
  }
}

extension Comparison {
  /// Whether two values in this order (negative, zero, positive) fulfil the comparison.
  func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}
