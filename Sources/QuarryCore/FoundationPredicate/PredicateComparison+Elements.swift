import QuarryBackend
import QuarryQuery

/// Comparisons of an array property's `max()`, `min()` and `filter { }.count`, as conditions over its elements.
extension PredicateTranslator {
  /// The condition equivalent to a comparison with a constant.
  ///
  /// - Returns: Nil when neither side is such a value.
  /// - Throws: `unsupported` for a comparison with anything but a constant, and for a count of elements with anything but 0.
  func elementComparison(
    _ left: PredicateTerm.Value, _ comparison: Comparison, _ right: PredicateTerm.Value, _ expression: Any
  ) throws(StorageError) -> PredicateTree? {
    switch (left, right) {
    case (.extreme(let path, let isMaximum), let other):
      return try extreme(of: path, isMaximum, comparison, other, expression)
    case (let other, .extreme(let path, let isMaximum)):
      return try extreme(of: path, isMaximum, comparison.mirrored, other, expression)
    case (.filteredCount(let path, let test), let other):
      return try count(of: path, test, comparison, other, expression)
    case (let other, .filteredCount(let path, let test)):
      return try count(of: path, test, comparison.mirrored, other, expression)
    default: return nil
    }
  }

  /// One element is beyond the constant, or all are on this side of it.
  private func extreme(
    of path: PropertyPath, _ isMaximum: Bool, _ comparison: Comparison, _ other: PredicateTerm.Value, _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    guard other.isConstant, case .value(let value) = try other.operand(expression) else {
      throw Self.unsupported(expression, "max() and min() of a property can be compared with constants only")
    }
    let isEmpty = PredicateTree.compare(.count(path), .equal, .value(.int(0)))
    func elements(_ comparison: Comparison) -> PredicateTree {
      .compare(.property(.element), comparison, .value(value))
    }
    switch comparison {
    case .equal where value.isNull: return isEmpty
    case .equal where value.isNotANumber: return .constant(false)
    case .equal:
      return .all(of: [.containsElement(path, value), .all(path, elements(isMaximum ? .lessOrEqual : .greaterOrEqual))])
    case .notEqual: return try extreme(of: path, isMaximum, .equal, other, expression).negated
    case .greater where isMaximum, .greaterOrEqual where isMaximum, .less where !isMaximum,
      .lessOrEqual where !isMaximum:
      return .any(path, elements(comparison))
    case .greater, .greaterOrEqual, .less, .lessOrEqual:
      return .all(of: [isEmpty.negated, .all(path, elements(comparison))])
    }
  }

  private func count(
    of path: PropertyPath, _ test: PredicateTree, _ comparison: Comparison, _ other: PredicateTerm.Value,
    _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    let some = PredicateTree.any(path, test)
    switch (comparison, other.constant(as: Int.self)) {
    case (.equal, 0), (.less, 1), (.lessOrEqual, 0): return some.negated
    case (.notEqual, 0), (.greater, 0), (.greaterOrEqual, 1): return some
    default:
      throw Self.unsupported(expression, "the number of elements that a filter leaves can be compared with 0 only")
    }
  }
}
