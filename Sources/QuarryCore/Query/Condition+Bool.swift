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

/// Fulfilled where both are.
@_disfavoredOverload
public func && (left: some ConditionConvertible, right: some ConditionConvertible) -> Condition {
  left.condition && right.condition
}

/// Fulfilled where one of them is, or both.
@_disfavoredOverload
public func || (left: some ConditionConvertible, right: some ConditionConvertible) -> Condition {
  left.condition || right.condition
}

/// Fulfilled where the condition is not, also where what it compares is nil.
@_disfavoredOverload
public prefix func ! (condition: some ConditionConvertible) -> Condition { !condition.condition }

/// Lets a column of Bool be a whole condition: `Book.where { $0.isRead }`.
///
/// The compiler takes a closure with a builder by itself, whatever else the expression around it has; another `where` for
/// such columns would make every query in a list dearer.
@resultBuilder
public enum ConditionBuilder {
  /// A condition as it is.
  public static func buildExpression(_ condition: Condition) -> Condition { condition }
  /// A column of Bool: whether it is true.
  public static func buildExpression(_ column: Column<Bool>) -> Condition { column.isTrue }
  /// The one condition of the closure.
  public static func buildBlock(_ condition: Condition) -> Condition { condition }
}
