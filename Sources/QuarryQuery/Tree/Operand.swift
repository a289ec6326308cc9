public import QuarryBackend

/// An operand of a comparison: a property, a part of one, a constant, or a calculation on these.
public enum Operand: Sendable, Hashable {
  /// A property, or a part of one.
  case property(PropertyPath)
  /// The number of elements of an array, of characters of a string, of bytes of data. Nothing else has one.
  case count(PropertyPath)
  /// A constant.
  case value(Value)
  /// The result of arithmetic with numbers; nil where a side is, and of a division by zero.
  indirect case arithmetic(Operand, ArithmeticOperator, Operand)
}
