import QuarryBackend
import QuarryQuery

/// A reference that may be nil.
public protocol OptionalReference: Storable {
  /// The model of the object that it leads to.
  associatedtype Target: Model
}

extension Optional: OptionalReference where Wrapped: OptionalRelation & Storable {
  public typealias Target = Wrapped.Target
}

// The target of a reference: `$0.author.name`. It is nil where a reference on the way is, so that it is optional there.

extension Column where Value: OptionalRelation {
  /// A property of the object that is referred to.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Value.Target.Columns, Column<V>>) -> ElementColumn<V> {
    ElementColumn(path: PropertyPath(name, members: [Value.Target.Columns()[keyPath: column].name]))
  }

  /// The objects that refer to the one that is referred to.
  public subscript<Object: Model>(
    dynamicMember column: KeyPath<Value.Target.Columns, ManyColumn<Object>>
  ) -> ManyColumn<Object> {
    ManyColumn(path: PropertyPath(name).appending(Value.Target.Columns()[keyPath: column].path))
  }
}

extension Column where Value: OptionalReference {
  /// A property of the object that is referred to; nil where there is none.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Value.Target.Columns, Column<V>>) -> ElementColumn<V?> {
    ElementColumn(path: PropertyPath(name, members: [Value.Target.Columns()[keyPath: column].name]))
  }

  /// An optional property of the object that is referred to; nil where there is none.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Value.Target.Columns, Column<V?>>) -> ElementColumn<V?> {
    ElementColumn(path: PropertyPath(name, members: [Value.Target.Columns()[keyPath: column].name]))
  }

  /// The objects that refer to the one that is referred to.
  public subscript<Object: Model>(
    dynamicMember column: KeyPath<Value.Target.Columns, ManyColumn<Object>>
  ) -> ManyColumn<Object> {
    ManyColumn(path: PropertyPath(name).appending(Value.Target.Columns()[keyPath: column].path))
  }
}

extension ElementColumn where Value: OptionalRelation {
  /// A property of the object that is referred to.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Value.Target.Columns, Column<V>>) -> ElementColumn<V> {
    ElementColumn<V>(path: path.appending(Value.Target.Columns()[keyPath: column].name))
  }

  /// The objects that refer to the one that is referred to.
  public subscript<Object: Model>(
    dynamicMember column: KeyPath<Value.Target.Columns, ManyColumn<Object>>
  ) -> ManyColumn<Object> {
    ManyColumn(path: path.appending(Value.Target.Columns()[keyPath: column].path))
  }
}

extension ElementColumn where Value: OptionalReference {
  /// A property of the object that is referred to; nil where there is none.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Value.Target.Columns, Column<V>>) -> ElementColumn<V?> {
    ElementColumn<V?>(path: path.appending(Value.Target.Columns()[keyPath: column].name))
  }

  /// An optional property of the object that is referred to; nil where there is none.
  public subscript<V: Storable>(dynamicMember column: KeyPath<Value.Target.Columns, Column<V?>>) -> ElementColumn<V?> {
    ElementColumn<V?>(path: path.appending(Value.Target.Columns()[keyPath: column].name))
  }

  /// The objects that refer to the one that is referred to.
  public subscript<Object: Model>(
    dynamicMember column: KeyPath<Value.Target.Columns, ManyColumn<Object>>
  ) -> ManyColumn<Object> {
    ManyColumn(path: path.appending(Value.Target.Columns()[keyPath: column].path))
  }
}

/// The other side of a reference in a condition: `$0.books.any { $0.year > 2000 }`, `$0.books.count > 3`.
public struct ManyColumn<Object: Model>: Sendable {
  let path: PropertyPath

  /// A column by the name of the property whose type is ``Many``.
  ///
  /// - Parameter name: The name of the property.
  public init(_ name: StaticString) {
    path = PropertyPath(name.description)
  }

  init(path: PropertyPath) {
    self.path = path
  }

  /// Whether one of the objects fulfils the condition.
  ///
  /// - Parameter condition: A condition on one of the objects: `{ $0.year > 2000 }`.
  public func any(@ConditionBuilder _ condition: (OtherColumns<Object>) -> Condition) -> Condition {
    Condition(condition(OtherColumns())) { .any(path, $0) }
  }

  /// Whether all of the objects fulfil the condition. True of none, and behind a reference that is nil.
  ///
  /// - Parameter condition: A condition on one of the objects.
  public func all(@ConditionBuilder _ condition: (OtherColumns<Object>) -> Condition) -> Condition {
    Condition(condition(OtherColumns())) { .all(path, $0) }
  }

  /// The number of the objects; nil behind a reference that is nil.
  public var count: CountColumn { CountColumn(path: path) }

  /// Whether there are none of the objects. Nil behind a reference has none to be empty of.
  public var isEmpty: Condition { count == 0 }
}

extension OtherColumns {
  /// The objects that refer to it.
  public subscript<Other: Model>(
    dynamicMember column: KeyPath<Object.Columns, ManyColumn<Other>>
  ) -> ManyColumn<Other> {
    ManyColumn(path: PropertyPath.element.appending(Object.Columns()[keyPath: column].path))
  }
}

extension PropertyPath {
  /// The path to what another one leads to from here.
  fileprivate func appending(_ path: PropertyPath) -> PropertyPath {
    PropertyPath(property, members: members + [path.property] + path.members)
  }
}
