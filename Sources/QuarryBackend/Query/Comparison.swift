/// How a predicate compares two values.
public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
  /// How the left value is compared with the right one.
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// The comparison with its sides exchanged.
  package var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// The comparison that holds for numbers exactly where this one does not.
  package var negated: Comparison {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}
