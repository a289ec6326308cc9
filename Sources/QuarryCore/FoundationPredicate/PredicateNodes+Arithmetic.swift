import Foundation
import QuarryBackend
import QuarryQuery

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
  /// The result of arithmetic: of constants at once, of properties in the query.
  fileprivate func arithmetic(
    _ operation: ConstantArithmetic.Operation, _ left: some PredicateExpression, _ right: some PredicateExpression,
    _ expression: Any
  ) throws(StorageError) -> PredicateTerm {
    let right = try term(right)
    return try term(left).flatMap { (left) throws(StorageError) in
      try right.flatMap { (right) throws(StorageError) in
        PredicateTerm(try arithmetic(operation, left, right, expression))
      }
    }
  }

  private func arithmetic(
    _ operation: ConstantArithmetic.Operation, _ left: PredicateTerm.Value, _ right: PredicateTerm.Value,
    _ expression: Any
  ) throws(StorageError) -> PredicateTerm.Value {
    if case .null = left { return .null }
    if case .null = right { return .null }
    if case .constant(let a) = left, case .constant(let b) = right {
      guard let result = try ConstantArithmetic.result(operation, a, b) else { throw Self.unsupported(expression) }
      return .init(constant: result)
    }
    return .calculation(
      .arithmetic(try number(left, expression), operation.inQueries, try number(right, expression)))
  }

  /// A value as a side of a calculation.
  fileprivate func number(_ value: PredicateTerm.Value, _ expression: Any) throws(StorageError) -> Operand {
    guard level == 0 else { throw .unsupported(.queryNested, "a calculation with an element") }
    return try value.operand(expression)
  }
}

extension ConstantArithmetic.Operation {
  fileprivate var inQueries: ArithmeticOperator {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .remainder: .remainder
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
      if case .null = value { return PredicateTerm(.null) }
      guard case .constant(let constant) = value else {
        let operand = try translator.number(value, self)
        return PredicateTerm(.calculation(.arithmetic(.value(.int(-1)), .multiply, operand)))
      }
      guard let result = try ConstantArithmetic.negated(constant) else { throw PredicateTranslator.unsupported(self) }
      return PredicateTerm(.init(constant: result))
    }
  }
}
