/// A test of a text in a predicate.
public enum TextOperator: String, Sendable, Hashable, Codable, CaseIterable {
  /// Equality; with no options the same as a comparison.
  case equal
  /// The other text contains the text, begins with it, or ends with it.
  case contains, hasPrefix, hasSuffix
  /// The whole string matches a pattern in which `*` stands for any run and `?` for one Unicode scalar; a backslash
  /// takes the meaning from the next scalar.
  case like
}
