/// What is a condition by itself: one, or a column of Bool.
public protocol ConditionConvertible {
  /// The condition.
  var condition: Condition { get }
}

extension Condition: ConditionConvertible {
  public var condition: Condition { self }
}

extension Column: ConditionConvertible where Value == Bool {
  /// Whether the value is true.
  public var condition: Condition { isTrue }
}

// `$0.isRead && !$0.isLent`. Not favoured, so that conditions without such columns cost the compiler nothing more.

@_disfavoredOverload
public func && (left: some ConditionConvertible, right: some ConditionConvertible) -> Condition {
  left.condition && right.condition
}

@_disfavoredOverload
public func || (left: some ConditionConvertible, right: some ConditionConvertible) -> Condition {
  left.condition || right.condition
}

@_disfavoredOverload
public prefix func ! (condition: some ConditionConvertible) -> Condition { !condition.condition }

extension Query {
  /// Only objects whose column is true: `Book.where { $0.isRead }`.
  @_disfavoredOverload
  public func `where`(_ column: (M.Columns) -> Column<Bool>) -> Query { self.where { column($0).isTrue } }
}

extension Model {
  /// The objects whose column is true: `Book.where { $0.isRead }`.
  @_disfavoredOverload
  public static func `where`(_ column: (Columns) -> Column<Bool>) -> Query<Self> { Query<Self>().where(column) }
}
