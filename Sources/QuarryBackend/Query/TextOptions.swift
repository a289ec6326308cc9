/// Options for folding strings before a text operator compares them: Foundation's folding without a locale.
public struct TextOptions: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// `[c]`: upper and lower case are the same.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// `[d]`: letters with and without accents are the same.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
  /// `[cd]`: the comparison that people expect of a search, in any language.
  public static let caseAndDiacriticInsensitive: TextOptions = [.caseInsensitive, .diacriticInsensitive]
}
