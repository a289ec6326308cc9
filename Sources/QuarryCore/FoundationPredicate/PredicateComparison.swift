import Foundation
import QuarryBackend
import QuarryQuery

/// Comparisons between values of which each is a property, a part of one, a condition or a constant.
extension PredicateTranslator {
  /// Whether two values are equal.
  func equal<T: Equatable>(
    _ left: PredicateTerm.Value, _ right: PredicateTerm.Value, as type: T.Type, _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    if left.isConstant, right.isConstant {
      if case .null = left { return right.isNull }
      if case .null = right { return .constant(false) }
      guard let a = left.constant(as: type), let b = right.constant(as: type) else {
        throw Self.unsupported(expression)
      }
      return .constant(areEqualAsStored(a, b))
    }
    if let tree = try elementComparison(left, .equal, right, expression) { return tree }
    switch (left, right) {
    case (.condition(let tree), let other), (let other, .condition(let tree)):
      return try equal(tree, other, expression)
    case (.count, .null), (.null, .count): return .constant(false)
    // A calculation from existing values is nil only where Swift would have ended the process.
    case (.calculation, .null), (.null, .calculation): return .constant(false)
    default:
      return try compare(left, .equal, right, expression)
    }
  }

  private func equal(
    _ tree: PredicateTree, _ other: PredicateTerm.Value, _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    switch other {
    case .null: return .constant(false)
    case .path(let path, _):
      let (isTrue, isFalse) = (Value.bool(true), Value.bool(false))
      return .either([
        .all(of: [tree, .compare(.property(path), .equal, .value(isTrue))]),
        .all(of: [tree.negated, .compare(.property(path), .equal, .value(isFalse))]),
      ])
    default:
      guard let other = other.condition else { throw Self.unsupported(expression) }
      switch other {
      case .constant(true): return tree
      case .constant(false): return tree.negated
      default: return .either([.all(of: [tree, other]), .all(of: [tree.negated, other.negated])])
      }
    }
  }

  /// Whether two values are in an order. Nil is in none.
  func ordered<T: Comparable>(
    _ left: PredicateTerm.Value, _ comparison: QuarryBackend.Comparison, _ right: PredicateTerm.Value,
    as type: T.Type, _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    if case .null = left { return .constant(false) }
    if case .null = right { return .constant(false) }
    if let a = left.constant(as: type), let b = right.constant(as: type) {
      return .constant(areOrderedAsStored(a, comparison, b))
    }
    guard isOrderedAsStored(type) else {
      throw Self.unsupported(expression, "\(type) defines its own order")
    }
    if let tree = try elementComparison(left, comparison, right, expression) { return tree }
    return try compare(left, comparison, right, expression)
  }

  private func compare(
    _ left: PredicateTerm.Value, _ comparison: QuarryBackend.Comparison, _ right: PredicateTerm.Value,
    _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    let (a, b) = (try left.operand(expression), try right.operand(expression))
    if case .value = a { return .compare(b, comparison.mirrored, a) }
    if case .value = b { return .compare(a, comparison, b) }
    guard level == 0 else {
      throw .unsupported(.queryNested, "a comparison of an element with another property or part")
    }
    return .compare(a, comparison, b)
  }

  /// Whether a value is in a range; a range whose bounds are in the wrong order has none.
  func contains<T: Comparable>(
    _ range: PredicateTerm.Value, _ element: PredicateTerm.Value, as type: T.Type, _ expression: Any
  ) throws(StorageError) -> PredicateTree {
    guard case .range(let lower, let upper, let isClosed) = range else { throw Self.unsupported(expression) }
    var parts: [PredicateTree] = []
    if let lower { parts.append(try ordered(element, .greaterOrEqual, lower, as: type, expression)) }
    if let upper { parts.append(try ordered(element, isClosed ? .lessOrEqual : .less, upper, as: type, expression)) }
    return .all(of: parts)
  }

  /// Whether constants contain a value.
  func contains<S: Sequence>(
    constants: S, _ element: PredicateTerm.Value, _ expression: Any
  ) throws(StorageError) -> PredicateTree where S.Element: Equatable {
    switch element {
    case .condition(let tree):
      var parts: [PredicateTree] = []
      for constant in constants {
        parts.append(try equal(.condition(tree), .init(constant: constant), as: S.Element.self, expression))
      }
      return .either(parts)
    case .constant, .null, .range:
      for constant in constants {
        let isEqual = try equal(.init(constant: constant), element, as: S.Element.self, expression)
        if isEqual == .constant(true) { return isEqual }
      }
      return .constant(false)
    case .object, .path, .count, .extreme, .filtered, .filteredCount, .calculation:
      let operand = try element.operand(expression)
      var values: [Value] = []
      values.reserveCapacity(constants.underestimatedCount)
      for constant in constants {
        guard case .value(let value) = try PredicateTerm.Value(constant: constant).operand(expression) else { continue }
        // Not a number is equal to nothing, itself included.
        if !value.isNotANumber { values.append(value) }
      }
      return values.isEmpty ? .constant(false) : .oneOf(operand, values)
    }
  }
}

/// Equality as the stored values have it: strings by their UTF-8 bytes.
private func areEqualAsStored<T: Equatable>(_ a: T, _ b: T) -> Bool {
  if let a = a as? String, let b = b as? String { return a.utf8.elementsEqual(b.utf8) }
  return a == b
}

private func areOrderedAsStored<T: Comparable>(_ a: T, _ comparison: QuarryBackend.Comparison, _ b: T) -> Bool {
  if let a = a as? String, let b = b as? String {
    let isLess = a.utf8.lexicographicallyPrecedes(b.utf8)
    let isGreater = b.utf8.lexicographicallyPrecedes(a.utf8)
    return switch comparison {
    case .equal: !isLess && !isGreater
    case .notEqual: isLess || isGreater
    case .less: isLess
    case .lessOrEqual: !isGreater
    case .greater: isGreater
    case .greaterOrEqual: !isLess
    }
  }
  return switch comparison {
  case .equal: a == b
  case .notEqual: a != b
  case .less: a < b
  case .lessOrEqual: a <= b
  case .greater: a > b
  case .greaterOrEqual: a >= b
  }
}
