public import QuarryBackend
import QuarryQuery

/// An optional nested value.
public protocol OptionalNested: Storable {
  /// The nested type, without the optional.
  associatedtype Nested: NestedModel
}

extension Optional: OptionalNested where Wrapped: NestedModel {
  public typealias Nested = Wrapped
}

// Members of nested values: `$0.address.city`, `$0.lines.any { $0.sku == "x" }`. A member of a value that is nil is nil, so the
// members of an optional are optional; an optional of an optional is one optional.

extension Column where Value: NestedModel {
  /// A member of the nested value.
  public subscript<V: Storable>(
    dynamicMember member: KeyPath<Value.Columns, MemberColumn<V>>
  ) -> ElementColumn<V> {
    ElementColumn(path: PropertyPath(name, members: [Value.Columns()[keyPath: member].name]))
  }
}

extension Column where Value: OptionalNested {
  /// A member of the nested value; nil where that is.
  public subscript<V: Storable>(
    dynamicMember member: KeyPath<Value.Nested.Columns, MemberColumn<V>>
  ) -> ElementColumn<V?> {
    ElementColumn(path: PropertyPath(name, members: [Value.Nested.Columns()[keyPath: member].name]))
  }

  /// An optional member of the nested value; nil where that is.
  public subscript<V: Storable>(
    dynamicMember member: KeyPath<Value.Nested.Columns, MemberColumn<V?>>
  ) -> ElementColumn<V?> {
    ElementColumn(path: PropertyPath(name, members: [Value.Nested.Columns()[keyPath: member].name]))
  }
}

extension ElementColumn where Value: NestedModel {
  /// A member of the nested value.
  public subscript<V: Storable>(
    dynamicMember member: KeyPath<Value.Columns, MemberColumn<V>>
  ) -> ElementColumn<V> {
    ElementColumn<V>(path: path.appending(Value.Columns()[keyPath: member].name))
  }
}

extension ElementColumn where Value: OptionalNested {
  /// A member of the nested value; nil where that is.
  public subscript<V: Storable>(
    dynamicMember member: KeyPath<Value.Nested.Columns, MemberColumn<V>>
  ) -> ElementColumn<V?> {
    ElementColumn<V?>(path: path.appending(Value.Nested.Columns()[keyPath: member].name))
  }

  /// An optional member of the nested value; nil where that is.
  public subscript<V: Storable>(
    dynamicMember member: KeyPath<Value.Nested.Columns, MemberColumn<V?>>
  ) -> ElementColumn<V?> {
    ElementColumn<V?>(path: path.appending(Value.Nested.Columns()[keyPath: member].name))
  }
}

extension PropertyPath {
  /// The path to a member of what this one leads to.
  func appending(_ member: String) -> PropertyPath { PropertyPath(property, members: members + [member]) }
}

extension ElementColumn where Value: ArrayStorable {
  /// Whether an element fulfils the condition.
  public func any(@ConditionBuilder _ condition: (ElementColumn<Value.ArrayElement>) -> Condition) -> Condition {
    Condition(condition(ElementColumn<Value.ArrayElement>(path: .element))) { .any(path, $0) }
  }

  /// Whether every element fulfils the condition. True of an empty array and of nil.
  public func all(@ConditionBuilder _ condition: (ElementColumn<Value.ArrayElement>) -> Condition) -> Condition {
    Condition(condition(ElementColumn<Value.ArrayElement>(path: .element))) { .all(path, $0) }
  }

  /// Whether there are no elements. Nil has no elements to be empty of.
  public var isEmpty: Condition { count == 0 }
}

extension ElementColumn where Value == Bool {
  /// Whether the value is true.
  public var isTrue: Condition { compare(.equal, true) }
  /// Whether the value is false.
  public var isFalse: Condition { compare(.equal, false) }
}

extension ElementColumn where Value == Bool? {
  /// Whether the value is true; nil is not.
  public var isTrue: Condition { compare(.equal, true) }
  /// Whether the value is false; nil is not.
  public var isFalse: Condition { compare(.equal, false) }
}

extension ElementColumn where Value: TextStorable {
  /// Whether the text is this one, folded as the options say; false of nil.
  ///
  /// - Parameters:
  ///   - text: The text to compare with.
  ///   - options: How both texts are folded.
  public func equals(_ text: String, options: TextOptions) -> Condition {
    Condition(.text(operand, .equal, text, options))
  }

  /// Whether the whole text matches a pattern: `*` is any run of scalars, `?` is one, a backslash takes their meaning.
  ///
  /// - Parameters:
  ///   - pattern: The pattern for the whole text.
  ///   - options: How the text and the pattern are folded.
  public func like(_ pattern: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .like, pattern, options))
  }
}

// Nil is neither less nor greater than anything.

/// Whether the element or member is less than this value; false of nil.
public func < <V: Storable & Comparable>(column: ElementColumn<V?>, value: V) -> Condition {
  column.compare(.less, value)
}

/// Whether the element or member is at most this value; false of nil.
public func <= <V: Storable & Comparable>(column: ElementColumn<V?>, value: V) -> Condition {
  column.compare(.lessOrEqual, value)
}

/// Whether the element or member is greater than this value; false of nil.
public func > <V: Storable & Comparable>(column: ElementColumn<V?>, value: V) -> Condition {
  column.compare(.greater, value)
}

/// Whether the element or member is at least this value; false of nil.
public func >= <V: Storable & Comparable>(column: ElementColumn<V?>, value: V) -> Condition {
  column.compare(.greaterOrEqual, value)
}
