import QuarryBackend
import QuarryQuery

/// The members that every column and every path has: `$0.address.isNil`, `$0.kind.isIn([.person, .company])`.
///
/// A column finds them by their names, after the members of the nested value or of the object that it leads to. A property of
/// a program with the name of one of these is therefore found first.
public struct ColumnMembers<Value: Storable>: Sendable {
  let path: PropertyPath

  private var operand: Operand { .property(path) }

  /// The name of the property as it is stored; for a member the names on the way to it.
  public var storedName: String { path.description }

  /// Whether the value is nil. A member that is not there is nil.
  public var isNil: Condition { Condition(.compare(operand, .equal, .value(.null))) }

  /// Whether the value is among others: `$0.kind.isIn([.person, .company])`, `$0.year.isIn(1970...1980)`.
  public var isIn: MembershipTest<Value> { MembershipTest(operand: operand) }

  /// A member of a nested value: `$0.address.member("city", as: String.self) == "Oslo"`. More names lead to members of members.
  public var member: MemberByName { MemberByName(path: path) }
}

extension Column {
  /// The members of every column. See ``ColumnMembers``.
  @_disfavoredOverload
  public subscript<T>(dynamicMember member: KeyPath<ColumnMembers<Value>, T>) -> T {
    ColumnMembers(path: PropertyPath(name))[keyPath: member]
  }
}

extension ElementColumn {
  /// The members of every member and element. See ``ColumnMembers``.
  @_disfavoredOverload
  public subscript<T>(dynamicMember member: KeyPath<ColumnMembers<Value>, T>) -> T {
    ColumnMembers(path: path)[keyPath: member]
  }
}

/// Names a member of a nested value with an unchecked string. See ``ColumnMembers/member``.
public struct MemberByName: Sendable {
  let path: PropertyPath

  /// The member with these names, each inside the one before.
  ///
  /// - Parameters:
  ///   - names: The names that Codable writes, from the outside in.
  ///   - type: The type of the last member.
  public func callAsFunction<V: Storable>(_ names: String..., as type: V.Type) -> ElementColumn<V> {
    ElementColumn(path: PropertyPath(path.property, members: path.members + names))
  }
}

/// Tests whether a value is among others. See ``ColumnMembers/isIn``.
public struct MembershipTest<Value: Storable>: Sendable {
  let operand: Operand

  /// Whether the value is one of these. `nil` among them matches nil.
  public func callAsFunction(_ values: some Sequence<Value>) -> Condition { Condition.oneOf(operand, values) }
}

extension MembershipTest where Value: Comparable {
  /// Whether the value is in the range.
  public func callAsFunction(_ range: ClosedRange<Value>) -> Condition { range.condition(on: operand) }
  /// Whether the value is in the range.
  public func callAsFunction(_ range: Range<Value>) -> Condition { range.condition(on: operand) }
  /// Whether the value is in the range.
  public func callAsFunction(_ range: PartialRangeFrom<Value>) -> Condition { range.condition(on: operand) }
  /// Whether the value is in the range.
  public func callAsFunction(_ range: PartialRangeThrough<Value>) -> Condition { range.condition(on: operand) }
  /// Whether the value is in the range.
  public func callAsFunction(_ range: PartialRangeUpTo<Value>) -> Condition { range.condition(on: operand) }
}

extension MembershipTest {
  /// Whether the value is in the range; nil is not.
  public func callAsFunction<V: Storable & Comparable>(_ range: ClosedRange<V>) -> Condition where Value == V? {
    range.condition(on: operand)
  }

  /// Whether the value is in the range; nil is not.
  public func callAsFunction<V: Storable & Comparable>(_ range: Range<V>) -> Condition where Value == V? {
    range.condition(on: operand)
  }

  /// Whether the value is in the range; nil is not.
  public func callAsFunction<V: Storable & Comparable>(_ range: PartialRangeFrom<V>) -> Condition where Value == V? {
    range.condition(on: operand)
  }

  /// Whether the value is in the range; nil is not.
  public func callAsFunction<V: Storable & Comparable>(_ range: PartialRangeThrough<V>) -> Condition where Value == V? {
    range.condition(on: operand)
  }

  /// Whether the value is in the range; nil is not.
  public func callAsFunction<V: Storable & Comparable>(_ range: PartialRangeUpTo<V>) -> Condition where Value == V? {
    range.condition(on: operand)
  }
}
