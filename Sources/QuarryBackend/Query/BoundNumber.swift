/// A number that a predicate calculates from a row. It is nil where a slot in it is.
public indirect enum BoundNumber: Sendable, Hashable {
  /// A slot of a numeric type.
  case slot(Int)
  /// The number of characters of a string, bytes of data or elements of an array.
  case count(slot: Int)
  /// A number, or null.
  case constant(Value)
  /// The result of arithmetic in that type, in which both sides are first brought.
  case arithmetic(BoundNumber, ArithmeticOperator, BoundNumber, in: CalculationType)

  /// Adds the slots that the number is calculated from.
  ///
  /// - Parameter slots: The set that the slots are added to.
  public func collectSlots(_ slots: inout Set<Int>) {
    switch self {
    case .slot(let slot), .count(let slot): slots.insert(slot)
    case .constant: break
    case .arithmetic(let left, _, let right, _):
      left.collectSlots(&slots)
      right.collectSlots(&slots)
    }
  }
}

/// The type in which arithmetic in a predicate is calculated.
public enum CalculationType: String, Sendable, Hashable {
  /// Exactly, in 128 bits. A result that does not fit is nil.
  case integer
  /// As Decimal: rounded to its digits, halves away from zero. A result beyond its range is nil.
  case decimal
  /// By IEEE 754, each result rounded to the type.
  case float, double
}
