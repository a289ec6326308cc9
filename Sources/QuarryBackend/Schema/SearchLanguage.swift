/// A language whose words a search compares by their stems.
///
/// ```swift
/// @Attribute(.searchable(language: .english)) var body: String
/// ```
public struct SearchLanguage: Sendable, Hashable, CustomStringConvertible {
  /// The name in schemas, dumps and commands.
  public let name: String

  private init(known name: String) { self.name = name }

  /// English, by the rules of Snowball, known as Porter2: `running` finds `runs`.
  public static let english = SearchLanguage(known: "english")

  /// All languages.
  public static let all = [english]

  /// The language of a name; nil for an unknown one.
  public init?(name: String) {
    guard let known = Self.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
    self = known
  }

  public var description: String { name }
}

extension SearchLanguage: Codable {
  /// Writes the name.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  /// Reads the name.
  ///
  /// - Throws: `schemaTooNew` for the name of a language that this version does not know.
  public init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    guard let language = SearchLanguage(name: name) else {
      throw StorageError(.schemaTooNew, "a property is searched in \(name), which this version of Quarry does not know")
    }
    self = language
  }
}
