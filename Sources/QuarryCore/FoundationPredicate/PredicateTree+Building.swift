import QuarryBackend
import QuarryQuery

/// Combined conditions, simplified where possible: under two-valued logic each result is true of the same rows. The simple form
/// makes it easier to see which conditions an index can serve.
extension PredicateTree {
  /// Whether all of the parts are true.
  static func all(of parts: [PredicateTree]) -> PredicateTree {
    var flat: [PredicateTree] = []
    for part in parts {
      switch part {
      case .constant(true): continue
      case .constant(false): return part
      case .and(let inner): flat += inner
      default: flat.append(part)
      }
    }
    // "It is not nil" adds nothing to a part that no nil fulfils.
    let kept = flat.enumerated().filter { index, part in
      guard let path = part.pathThatIsNotNull else { return true }
      return !flat.enumerated().contains { other, condition in
        guard other != index, condition.isFalseWithNull(at: path) else { return false }
        // Of two such equal parts the first stays.
        return condition.pathThatIsNotNull == nil || other < index
      }
    }
    switch kept.count {
    case 0: return .constant(true)
    case 1: return kept[0].element
    default: return .and(kept.map(\.element))
    }
  }

  /// Whether one of the parts is true.
  static func either(_ parts: [PredicateTree]) -> PredicateTree {
    var flat: [PredicateTree] = []
    for part in parts {
      switch part {
      case .constant(false): continue
      case .constant(true): return part
      case .or(let inner): flat += inner
      default: flat.append(part)
      }
    }
    switch flat.count {
    case 0: return .constant(false)
    case 1: return flat[0]
    default: return .or(flat)
    }
  }

  /// Whether this is false.
  var negated: PredicateTree {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let inner): inner
    case .compare(let left, .equal, let right): .compare(left, .notEqual, right)
    case .compare(let left, .notEqual, let right): .compare(left, .equal, right)
    default: .not(self)
    }
  }

  /// The path that this condition declares not to be nil.
  private var pathThatIsNotNull: PropertyPath? {
    guard case .compare(.property(let path), .notEqual, .value(.null)) = self else { return nil }
    return path
  }

  /// Whether this is known to be false where the value at the path is nil.
  private func isFalseWithNull(at path: PropertyPath) -> Bool {
    switch self {
    case .constant(let value): return !value
    case .compare(let left, let comparison, let right):
      if case .notEqual = comparison {
        // "Is not nil" itself; any other value differs from nil.
        return left == .property(path) && right == .value(.null) || right == .property(path) && left == .value(.null)
      }
      return left.isNull(at: path) && right.isNeverNull(comparison)
        || right.isNull(at: path) && left.isNeverNull(comparison)
    case .oneOf(let operand, let values): return operand.isNull(at: path) && !values.contains(.null)
    case .function(let call): return call.operands.first?.isNull(at: path) ?? false
    case .any(let array, _): return array == path
    case .and(let parts): return parts.contains { $0.isFalseWithNull(at: path) }
    case .or(let parts): return parts.allSatisfy { $0.isFalseWithNull(at: path) }
    case .all, .not: return false
    }
  }
}

extension Operand {
  /// Whether the operand is nil where the value at the path is.
  fileprivate func isNull(at path: PropertyPath) -> Bool {
    switch self {
    case .property(let own), .count(let own): own == path
    case .arithmetic(let left, _, let right): left.isNull(at: path) || right.isNull(at: path)
    case .value: false
    }
  }

  /// Whether a comparison of nil with this is false.
  fileprivate func isNeverNull(_ comparison: Comparison) -> Bool {
    switch self {
    case .value(let value): !value.isNull || comparison != .equal
    case .property, .count, .arithmetic: comparison != .equal
    }
  }
}
