/// An option of `@Attribute`.
public struct AttributeOption: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case primaryKey, unique, indexed
  }

  private let kind: Kind

  /// The property is the primary key, in place of `id`.
  public static let primaryKey = AttributeOption(kind: .primaryKey)
  /// No two objects have the same value; nil is not a value. Queries find an object by it without a scan.
  public static let unique = AttributeOption(kind: .unique)
  /// Queries that compare or sort by the property use an index.
  public static let indexed = AttributeOption(kind: .indexed)
}
