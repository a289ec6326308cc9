extension CalculationType {
  /// The result of arithmetic in this type, in which both numbers are first brought; nil where there is none.
  func result(_ a: ExactNumber, _ operation: ArithmeticOperator, _ b: ExactNumber) -> ExactNumber? {
    switch self {
    case .integer:
      guard case .integer(let a) = a, case .integer(let b) = b else { return nil }
      return Self.result(a, operation, b).map { .integer($0) }
    case .decimal:
      guard let a = a.decimal, let b = b.decimal else { return nil }
      return Self.result(a, operation, b).map { .decimal($0) }
    case .float: return Self.result(a.nearestFloat, operation, b.nearestFloat).map { .double(Double($0)) }
    case .double: return Self.result(a.nearestDouble, operation, b.nearestDouble).map { .double($0) }
    }
  }

  private static func result(_ a: Int128, _ operation: ArithmeticOperator, _ b: Int128) -> Int128? {
    let (result, overflows) =
      switch operation {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide: a.dividedReportingOverflow(by: b)
      // The remainder by -1 is 0, also for the least integer, which Swift cannot divide by it.
      case .remainder: b == -1 ? (0, false) : a.remainderReportingOverflow(dividingBy: b)
      }
    return overflows ? nil : result
  }

  private static func result(_ a: DecimalParts, _ operation: ArithmeticOperator, _ b: DecimalParts) -> DecimalParts? {
    switch operation {
    case .add: DecimalParts.sum(a, b)
    case .subtract: DecimalParts.sum(a, b.negated)
    case .multiply: DecimalParts.product(a, b)
    case .divide, .remainder: nil
    }
  }

  private static func result<F: BinaryFloatingPoint>(_ a: F, _ operation: ArithmeticOperator, _ b: F) -> F? {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .remainder: nil
    }
  }
}

extension ExactNumber {
  package var nearestDouble: Double {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .decimal(let parts): Double(parts.literal) ?? .nan
    }
  }

  /// Rounded once: not by way of a Double.
  package var nearestFloat: Float {
    switch self {
    case .integer(let value): Float(value)
    case .double(let value): Float(value)
    case .decimal(let parts): Float(parts.literal) ?? .nan
    }
  }

  /// The decimal of an integer or a decimal.
  fileprivate var decimal: DecimalParts? {
    switch self {
    // An integer with more digits than a decimal is rounded, as every result is.
    case .integer(let value): DecimalParts(value)
    case .decimal(let parts): parts
    case .double: nil
    }
  }
}
