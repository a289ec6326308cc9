import Foundation
import QuarryBackend
import QuarryQuery

/// What a calculation in a predicate gives, as PRED-13 says: nil where a side is, integers in 128 bits, decimals that the
/// samples keep within their digits, floating point by IEEE 754.
enum ReferenceCalculation {
  private enum Number {
    case integer(Int128)
    case decimal(ReferenceNumber)
    case float(Float)
    case double(Double)
  }

  private struct Side {
    var number: Number?
    var isConstant = false
  }

  /// Whether a comparison with a calculation in it is true.
  static func holds(
    _ left: Operand, _ comparison: Comparison, _ right: Operand, _ value: (PropertyPath) -> Value
  ) -> Bool {
    let (a, b) = (side(left, value), side(right, value))
    guard let first = a.number, let second = b.number else {
      let areNil = a.number == nil && b.number == nil
      return areNil ? comparison == .equal : comparison == .notEqual
    }
    // A decimal constant stands for the nearest number of the floating-point type beside it.
    let order = order(compared(first, left, with: second), compared(second, right, with: first))
    guard let order else { return comparison == .notEqual }
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  private static func side(_ operand: Operand, _ value: (PropertyPath) -> Value) -> Side {
    switch operand {
    case .property(let path): return Side(number: number(value(path)))
    case .value(let constant): return Side(number: number(constant), isConstant: true)
    case .count(let path): return Side(number: Reference.length(value(path)).map { .integer(Int128($0)) })
    case .arithmetic(let left, let operation, let right):
      let (a, b) = (side(left, value), side(right, value))
      let isConstant = a.isConstant && b.isConstant
      guard let first = a.number, let second = b.number else { return Side(isConstant: isConstant) }
      let sides = (compared(first, left, with: second), compared(second, right, with: first))
      return Side(number: result(sides.0, a, operation, sides.1, b), isConstant: isConstant)
    }
  }

  private static func number(_ value: Value) -> Number? {
    switch value {
    case .float(let value): return .float(value)
    case .double(let value): return .double(value)
    case .decimal(let value): return .decimal(ReferenceNumber(value))
    default: return value.integer.map { .integer($0) }
    }
  }

  private static func result(
    _ a: Number, _ left: Side, _ operation: ArithmeticOperator, _ b: Number, _ right: Side
  ) -> Number? {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): return whole(a, operation, b).map { .integer($0) }
    case (.float(let a), .float(let b)): return .float(floating(a, operation, b))
    case (.float(let a), .integer(let b)) where right.isConstant: return .float(floating(a, operation, Float(b)))
    case (.integer(let a), .float(let b)) where left.isConstant: return .float(floating(Float(a), operation, b))
    case (.integer, .decimal), (.decimal, .integer), (.decimal, .decimal):
      guard let a = exact(a), let b = exact(b) else { return nil }
      return switch operation {
      case .add: .decimal(a + b)
      case .subtract: .decimal(a + b.negated)
      case .multiply: .decimal(a * b)
      case .divide, .remainder: nil
      }
    default: return .double(floating(double(a), operation, double(b)))
    }
  }

  private static func whole(_ a: Int128, _ operation: ArithmeticOperator, _ b: Int128) -> Int128? {
    let (result, overflow) =
      switch operation {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide: a.dividedReportingOverflow(by: b)
      case .remainder: a.remainderReportingOverflow(dividingBy: b)
      }
    return overflow ? nil : result
  }

  private static func floating<F: FloatingPoint>(_ a: F, _ operation: ArithmeticOperator, _ b: F) -> F {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .remainder: .nan
    }
  }

  private static func double(_ number: Number) -> Double {
    switch number {
    case .integer(let value): Double(value)
    case .decimal(let value): value.rounded
    case .float(let value): Double(value)
    case .double(let value): value
    }
  }

  /// The number without rounding; nil for infinity and NaN.
  private static func exact(_ number: Number) -> ReferenceNumber? {
    switch number {
    case .integer(let value): ReferenceNumber(String(value))
    case .decimal(let value): value
    case .float(let value): value.isFinite ? ReferenceNumber(Double(value)) : nil
    case .double(let value): value.isFinite ? ReferenceNumber(value) : nil
    }
  }

  private static func compared(_ number: Number, _ operand: Operand, with other: Number) -> Number {
    guard case .value(.decimal(let decimal)) = operand else { return number }
    switch other {
    case .float: return Float(decimal.description).map { $0.isFinite ? .float($0) : number } ?? number
    case .double: return Double(decimal.description).map { .double($0) } ?? number
    default: return number
    }
  }

  private static func order(_ a: Number, _ b: Number) -> Int? {
    if let left = exact(a), let right = exact(b) { return ReferenceNumber.compare(left, right) }
    let (left, right) = (infinity(a), infinity(b))
    return left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  /// The number where it is infinite or NaN, and 0 for any other.
  private static func infinity(_ number: Number) -> Double {
    let number = double(number)
    return number.isFinite ? 0 : number
  }
}
