/// An option of `@Relationship` for links.
public struct RelationshipOption: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case allowsDuplicates
  }

  private let kind: Kind

  /// An object may be in a list more than once.
  public static let allowsDuplicates = RelationshipOption(kind: .allowsDuplicates)
}
