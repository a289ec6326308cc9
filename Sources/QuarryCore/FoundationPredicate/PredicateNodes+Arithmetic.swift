import Foundation
import QuarryBackend

/// Arithmetic of constants, with integers checked: Foundation's own would end the process.
private enum ConstantArithmetic {
  enum Operation {
    case add, subtract, multiply, divide, remainder
  }

  /// The result; nil for types that are not known here.
  static func result(_ operation: Operation, _ left: Any, _ right: Any) throws(StorageError) -> Any? {
    if let left = left as? any FixedWidthInteger { return try integer(operation, left, right) }
    if let left = left as? any BinaryFloatingPoint { return floating(operation, left, right) }
    guard let left = left as? Decimal, let right = right as? Decimal else { return nil }
    switch operation {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply: return left * right
    case .divide, .remainder: return nil
    }
  }

  private static func integer<I: FixedWidthInteger>(
    _ operation: Operation, _ left: I, _ right: Any
  ) throws(StorageError) -> Any? {
    guard let right = right as? I else { return nil }
    let (value, overflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      case .remainder: left.remainderReportingOverflow(dividingBy: right)
      }
    guard !overflow else {
      throw StorageError(.invalidValue, "arithmetic with constants of a predicate does not fit into \(I.self)")
    }
    return value
  }

  private static func floating<F: BinaryFloatingPoint>(_ operation: Operation, _ left: F, _ right: Any) -> Any? {
    guard let right = right as? F else { return nil }
    switch operation {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply: return left * right
    case .divide: return left / right
    case .remainder: return nil
    }
  }

  /// The constant with its sign changed. Not zero minus it, which has another sign of zero.
  static func negated(_ value: Any) throws(StorageError) -> Any? {
    if let value = value as? any BinaryFloatingPoint { return minus(value) }
    if let value = value as? Decimal { return -value }
    guard let value = value as? any FixedWidthInteger else { return nil }
    return try zeroMinus(value)
  }

  private static func minus(_ value: some BinaryFloatingPoint) -> Any { -value }

  private static func zeroMinus<I: FixedWidthInteger>(_ value: I) throws(StorageError) -> Any? {
    try integer(.subtract, I.zero, value)
  }
}

extension PredicateTranslator {
  /// The result of arithmetic with constants. Arithmetic with properties has no counterpart.
  fileprivate func arithmetic(
    _ operation: ConstantArithmetic.Operation, _ left: some PredicateExpression, _ right: some PredicateExpression,
    _ expression: Any
  ) throws(StorageError) -> PredicateTerm {
    let right = try term(right)
    return try term(left).flatMap { (left) throws(StorageError) in
      try right.flatMap { (right) throws(StorageError) in
        guard case .constant(let a) = left, case .constant(let b) = right,
          let result = try ConstantArithmetic.result(operation, a, b)
        else { throw Self.unsupported(expression, "only of constants") }
        return PredicateTerm(.init(constant: result))
      }
    }
  }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    switch op {
    case .add: return try translator.arithmetic(.add, lhs, rhs, self)
    case .subtract: return try translator.arithmetic(.subtract, lhs, rhs, self)
    case .multiply: return try translator.arithmetic(.multiply, lhs, rhs, self)
    @unknown default: throw PredicateTranslator.unsupported(self)
    }
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.arithmetic(.divide, lhs, rhs, self)
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.arithmetic(.remainder, lhs, rhs, self)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.arithmetic(.divide, lhs, rhs, self)
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    try translator.term(wrapped).flatMap { (value) throws(StorageError) in
      guard case .constant(let constant) = value, let result = try ConstantArithmetic.negated(constant) else {
        throw PredicateTranslator.unsupported(self, "only of constants")
      }
      return PredicateTerm(.init(constant: result))
    }
  }
}
