import QuarryQuery

/// The columns of an object that is tested inside ``ManyColumn/any(_:)`` and ``ManyColumn/all(_:)``.
@dynamicMemberLookup
public struct OtherColumns<Object: Model>: Sendable {
  /// A property of the object.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Object.Columns, Column<V>>) -> ElementColumn<V> {
    ElementColumn(path: PropertyPath.element.appending(Object.Columns()[keyPath: column].name))
  }
}
