/// How a predicate calculates. Integers are divided as in Swift: towards zero, with a remainder of the dividend's sign.
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
  /// An operation on two numbers.
  case add, subtract, multiply, divide, remainder
}
