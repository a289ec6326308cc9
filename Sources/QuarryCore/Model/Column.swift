/// A column of a model in a query. Of a nested value it has the members: `$0.address.city`.
@frozen
@dynamicMemberLookup
public struct Column<Value: Storable>: Sendable {
  // A plain value, so that making the columns of a model costs nothing where one of them is looked up.
  @usableFromInline let literal: StaticString
  // A public member here would hide a member of a nested value with the same name: see ``ColumnMembers``.

  /// The property's place in the model's definition.
  @usableFromInline let index: Int

  /// A column by the name of its property and its place in the model's definition.
  ///
  /// - Parameters:
  ///   - name: The name of the property in the store.
  ///   - index: The place of the property in the definition's `properties`, 0 for the first.
  @inlinable
  public init(_ name: StaticString, _ index: Int) {
    literal = name
    self.index = index
  }

  @usableFromInline var name: String { literal.description }
}
