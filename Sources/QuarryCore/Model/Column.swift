/// A column of a model in a query. Of a nested value it has the members: `$0.address.city`.
@frozen
@dynamicMemberLookup
public struct Column<Value: Storable>: Sendable {
  // A plain value, so that making the columns of a model costs nothing where one of them is looked up.
  @usableFromInline let literal: StaticString
  // What is public here hides a member of a nested value of the same name, so there is little of it.

  /// The property's place in the model's definition.
  @usableFromInline let index: Int

  /// A column by the name of its property and its place in the model's definition.
  @inlinable
  public init(_ name: StaticString, _ index: Int) {
    literal = name
    self.index = index
  }

  /// The property's name as it is stored.
  public var storedName: String { literal.description }
  @usableFromInline var name: String { literal.description }
}
