package import QuarryBackend

/// A tree of conditions in two-valued logic: what folding needs to know of one.
package protocol BooleanTree {
  static func constant(_ value: Bool) -> Self
  static func not(_ condition: Self) -> Self
  static func and(_ conditions: [Self]) -> Self
  static func or(_ conditions: [Self]) -> Self
  /// The value of a constant.
  var constantValue: Bool? { get }
  /// The parts of a conjunction or disjunction.
  var conjuncts: [Self]? { get }
  var disjuncts: [Self]? { get }
  /// The plain opposite, where there is one without `not`.
  var opposite: Self? { get }
}

extension BooleanTree {
  /// All of the conditions: flat, without constants.
  package static func allOf(_ conditions: [Self]) -> Self {
    var parts: [Self] = []
    parts.reserveCapacity(conditions.count)
    for condition in conditions {
      if let constant = condition.constantValue {
        if !constant { return .constant(false) }
      } else if let inner = condition.conjuncts {
        parts.append(contentsOf: inner)
      } else {
        parts.append(condition)
      }
    }
    return parts.isEmpty ? .constant(true) : parts.count == 1 ? parts[0] : .and(parts)
  }

  /// One of the conditions: flat, without constants.
  package static func anyOf(_ conditions: [Self]) -> Self {
    var parts: [Self] = []
    parts.reserveCapacity(conditions.count)
    for condition in conditions {
      if let constant = condition.constantValue {
        if constant { return .constant(true) }
      } else if let inner = condition.disjuncts {
        parts.append(contentsOf: inner)
      } else {
        parts.append(condition)
      }
    }
    return parts.isEmpty ? .constant(false) : parts.count == 1 ? parts[0] : .or(parts)
  }

  /// The opposite of the condition.
  package static func negation(of condition: Self) -> Self {
    condition.opposite ?? .not(condition)
  }
}

extension BoundPredicate: BooleanTree {
  package var constantValue: Bool? {
    if case .constant(let value) = self { return value }
    return nil
  }

  package var conjuncts: [BoundPredicate]? {
    if case .and(let parts) = self { return parts }
    return nil
  }

  package var disjuncts: [BoundPredicate]? {
    if case .or(let parts) = self { return parts }
    return nil
  }

  package var opposite: BoundPredicate? {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let condition): condition
    // Orders have none: neither `<` nor `>=` is true of nil and NaN.
    case .compare(let slot, .equal, let value): .compare(slot: slot, .notEqual, value)
    case .compare(let slot, .notEqual, let value): .compare(slot: slot, .equal, value)
    case .compareSlots(let left, .equal, let right): .compareSlots(left, .notEqual, right)
    case .compareSlots(let left, .notEqual, let right): .compareSlots(left, .equal, right)
    case .calculated(let left, .equal, let right): .calculated(left, .notEqual, right)
    case .calculated(let left, .notEqual, let right): .calculated(left, .equal, right)
    default: nil
    }
  }
}

extension NestedTest: BooleanTree {
  package var constantValue: Bool? {
    if case .constant(let value) = self { return value }
    return nil
  }

  package var conjuncts: [NestedTest]? {
    if case .and(let parts) = self { return parts }
    return nil
  }

  package var disjuncts: [NestedTest]? {
    if case .or(let parts) = self { return parts }
    return nil
  }

  package var opposite: NestedTest? {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let condition): condition
    case .compare(let path, .equal, let value): .compare(path: path, .notEqual, value)
    case .compare(let path, .notEqual, let value): .compare(path: path, .equal, value)
    default: nil
    }
  }
}
