/// A value that is a condition by itself: a condition, a column of Bool, or a path to one.
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

/// A Bool, or an optional one. It is not meant for other types.
public protocol BoolStorable: Storable {}

extension Bool: BoolStorable {}
extension Optional: BoolStorable where Wrapped == Bool {}

extension ElementColumn: ConditionConvertible where Value: BoolStorable {
  /// Whether the value is true; nil, as behind a reference that is nil, is not.
  public var condition: Condition { compare(.equal, true) }
}

// `$0.isRead && !$0.isLent`. Not favoured, so that conditions without such columns cost the compiler nothing more.

/// A condition fulfilled where both are.
@_disfavoredOverload
public func && (left: some ConditionConvertible, right: some ConditionConvertible) -> Condition {
  left.condition && right.condition
}

/// A condition fulfilled where one of them is, or both.
@_disfavoredOverload
public func || (left: some ConditionConvertible, right: some ConditionConvertible) -> Condition {
  left.condition || right.condition
}

/// A condition fulfilled where the given one is not, also where a compared value is nil.
@_disfavoredOverload
public prefix func ! (condition: some ConditionConvertible) -> Condition { !condition.condition }

/// Lets a column of Bool, or a path to one, be a whole condition: `Book.where { $0.isRead }`, `Order.where {
/// $0.customer.isActive }`.
///
/// The compiler takes a closure with a builder by itself, whatever else the expression around it has; another `where` for
/// such columns would make every query in a list dearer.
@resultBuilder
public enum ConditionBuilder {
  /// A condition as it is.
  public static func buildExpression(_ condition: Condition) -> Condition { condition }
  /// A column of Bool, or a path to one: whether it is true.
  public static func buildExpression(_ condition: some ConditionConvertible) -> Condition { condition.condition }
  /// The one condition of the closure.
  public static func buildBlock(_ condition: Condition) -> Condition { condition }
}
