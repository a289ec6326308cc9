public import QuarryBackend

/// An option of `@Attribute`.
public struct AttributeOption: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case primaryKey, generated, unique, indexed
    case searchable(weight: Int, SearchLanguage?)
  }

  private let kind: Kind

  /// The property is the primary key, in place of `id`.
  public static let primaryKey = AttributeOption(kind: .primaryKey)
  /// The store gives the primary key to an object that has none yet.
  ///
  /// An integer is the next number of a sequence, and a UUID one of version 7. An object without a key has the key 0, or
  /// `UUID.missing`.
  public static let generated = AttributeOption(kind: .generated)
  /// No two objects have the same value; nil is not a value. Queries find an object by it without a scan.
  public static let unique = AttributeOption(kind: .unique)
  /// Queries that compare or sort by the property use an index.
  public static let indexed = AttributeOption(kind: .indexed)
  /// The words of the text, or of the texts of an array, are found by ``Model/Columns``' `search`. The store keeps an index of
  /// them.
  public static let searchable = AttributeOption(kind: .searchable(weight: 1, nil))

  /// The words of the text are found by a search, and count more in the order of its hits than words of other properties.
  ///
  /// - Parameter weight: A literal from 1 to 1000; 1 is the weight of ``searchable``.
  public static func searchable(weight: Int) -> AttributeOption {
    AttributeOption(kind: .searchable(weight: weight, nil))
  }

  /// The words of the text are found by a search that compares their stems: `running` finds `runs`.
  ///
  /// A beginning, `runn*`, is compared with the words as they are written.
  ///
  /// - Parameters:
  ///   - weight: A literal from 1 to 1000, as in ``searchable(weight:)``.
  ///   - language: The language of the text, written as `.english`.
  public static func searchable(weight: Int = 1, language: SearchLanguage) -> AttributeOption {
    AttributeOption(kind: .searchable(weight: weight, language))
  }
}
