/// A column of `#Index` with its direction: `#Index<Book>([.reverse(\.year), .forward(\.title)])`.
public struct IndexColumn<M> {
  /// The property.
  public let property: PartialKeyPath<M>
  /// The direction of the column in the index.
  public let order: SortDirection

  /// A column in ascending order.
  ///
  /// - Parameter property: The key path of a stored property: `\.title`.
  public static func forward(_ property: PartialKeyPath<M>) -> IndexColumn {
    IndexColumn(property: property, order: .forward)
  }

  /// A column in descending order.
  ///
  /// - Parameter property: The key path of a stored property: `\.year`.
  public static func reverse(_ property: PartialKeyPath<M>) -> IndexColumn {
    IndexColumn(property: property, order: .reverse)
  }
}
