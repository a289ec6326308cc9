/// A condition on a row, by names.
public indirect enum PredicateTree: Sendable, Hashable {
  case constant(Bool)
  case compare(Operand, Comparison, Operand)
  /// Membership; a null among the values matches nil.
  case oneOf(Operand, [Value])
  case text(Operand, TextOperator, String, TextOptions)
  /// Whether an array has an element that is equal to the value.
  case containsElement(PropertyPath, Value)
  /// Whether an element of the array fulfils the condition, whose paths begin at ``PropertyPath/element``.
  case any(PropertyPath, PredicateTree)
  /// Whether every element does. True of an empty array and of nil.
  case all(PropertyPath, PredicateTree)
  case not(PredicateTree)
  case and([PredicateTree])
  case or([PredicateTree])
}

public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// The comparison with its sides exchanged.
  public var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

public enum TextOperator: String, Sendable, Hashable, Codable, CaseIterable {
  /// Equality; with no options the same as a comparison.
  case equal
  case contains, hasPrefix, hasSuffix
  /// The whole string matches a pattern in which `*` stands for any run and `?` for one Unicode scalar; a backslash
  /// takes the meaning from the next scalar.
  case like
}

/// How strings are folded before a text operator looks at them: Foundation's folding without a locale.
public struct TextOptions: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let caseInsensitive = TextOptions(rawValue: 1)
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
  /// `[cd]`: what people who search mean, in any language.
  public static let caseAndDiacriticInsensitive: TextOptions = [.caseInsensitive, .diacriticInsensitive]
}
