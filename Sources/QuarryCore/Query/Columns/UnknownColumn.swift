// Names that no model and no nested value has. The compiler accepts them and then reports that their name cannot be made,
// at the place of the name. Without these it tries every combination of all overloads of the operators around an unknown
// name before it reports one.

/// The name of a property or member that does not exist.
public struct UnknownName: Hashable, Sendable {}

@available(*, unavailable, message: "there is no property or member with this name")
extension UnknownName: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) {}
}

/// A column of a property or member that does not exist. Everything can be done with it, so that only its name is reported.
@dynamicMemberLookup
public struct UnknownColumn: Sendable {
  init() {}

  /// A member of a property or member that does not exist.
  public subscript(dynamicMember member: String) -> UnknownColumn { UnknownColumn() }

  /// A test of a property or member that does not exist.
  public func callAsFunction(_ arguments: Any...) -> UnknownColumn { UnknownColumn() }

  /// A test of the elements of a property or member that does not exist.
  public func any(_ condition: (UnknownColumn) -> some ConditionConvertible) -> UnknownColumn { UnknownColumn() }

  /// A test of the elements of a property or member that does not exist.
  public func all(_ condition: (UnknownColumn) -> some ConditionConvertible) -> UnknownColumn { UnknownColumn() }
}

extension UnknownColumn: ComparedWithAnyType, CalculatedWithAnyType {}

extension UnknownColumn: ConditionConvertible {
  public var condition: Condition { .constant(false) }
}

extension ModelColumns {
  /// Reports a property that the model does not have.
  @_disfavoredOverload
  public subscript(dynamicMember name: UnknownName) -> UnknownColumn { UnknownColumn() }
}

extension Column {
  /// Reports a member that the value does not have.
  @_disfavoredOverload
  public subscript(dynamicMember name: UnknownName) -> UnknownColumn { UnknownColumn() }
}

extension ElementColumn {
  /// Reports a member that the value does not have.
  @_disfavoredOverload
  public subscript(dynamicMember name: UnknownName) -> UnknownColumn { UnknownColumn() }
}

extension OtherColumns {
  /// Reports a property that the model does not have.
  @_disfavoredOverload
  public subscript(dynamicMember name: UnknownName) -> UnknownColumn { UnknownColumn() }
}

/// A column to assign to that does not exist. Everything can be assigned to it, so that only its name is reported.
public struct UnknownAssigned: Sendable {
  /// Adds to a property that does not exist.
  public static func += (column: inout UnknownAssigned, value: some Any) {}
  /// Subtracts from a property that does not exist.
  public static func -= (column: inout UnknownAssigned, value: some Any) {}
  /// Multiplies a property that does not exist.
  public static func *= (column: inout UnknownAssigned, value: some Any) {}
}

extension Assignments {
  /// Reports a property that the model does not have.
  @_disfavoredOverload
  public subscript(dynamicMember name: UnknownName) -> UnknownAssigned {
    get { UnknownAssigned() }
    set {}
  }

  /// Reports a property that the model does not have.
  @_disfavoredOverload
  public subscript<T>(dynamicMember name: UnknownName) -> T? {
    get { nil }
    set {}
  }
}

extension Query {
  /// Reports an order by a property that the model does not have.
  @_disfavoredOverload
  public func sorted(by column: KeyPath<M.Columns, UnknownColumn>, order: SortDirection = .forward) -> Query { self }
}

extension Sequence {
  /// Reports a property or member that does not exist.
  @_disfavoredOverload
  public func contains(_ column: UnknownColumn) -> Condition { .constant(false) }
}
