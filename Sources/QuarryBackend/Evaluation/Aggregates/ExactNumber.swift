import Foundation

/// A number of any stored type, compared by its exact value: 2^53 + 1 is not 2^53 as a Double, and the decimal 0.1 is
/// less than the Double 0.1.
package enum ExactNumber {
  case integer(Int128)
  case double(Double)
  case decimal(DecimalParts)

  /// The number of a value; nil for other kinds and for the decimal that is not a number.
  package init?(_ value: Value) {
    switch value {
    case .int(let value): self = .integer(Int128(value))
    case .uint(let value): self = .integer(Int128(value))
    case .float(let value): self = .double(Double(value))
    case .double(let value): self = .double(value)
    case .decimal(let value):
      do throws(StorageError) {
        self = .decimal(try DecimalParts(value))
      } catch {
        return nil
      }
    default: return nil
    }
  }

  /// Negative, zero or positive; nil when one is NaN.
  static func compare(_ a: ExactNumber, _ b: ExactNumber) -> Int? {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): return a == b ? 0 : a < b ? -1 : 1
    case (.double(let a), .double(let b)): return a == b ? 0 : a < b ? -1 : a > b ? 1 : nil
    case (.decimal(let a), .decimal(let b)): return a.compare(b)
    case (.integer(let a), .double(let b)): return compare(a, b)
    case (.double(let a), .integer(let b)): return compare(b, a).map { 0 - $0 }
    case (.integer(let a), .decimal(let b)): return DecimalParts(a).compare(b)
    case (.decimal(let a), .integer(let b)): return a.compare(DecimalParts(b))
    case (.double(let a), .decimal(let b)): return compare(b, a).map { 0 - $0 }
    case (.decimal(let a), .double(let b)): return compare(a, b)
    }
  }

  private static func compare(_ a: Int128, _ b: Double) -> Int? {
    guard !b.isNaN else { return nil }
    // Stored integers are inside ±2^64, far from the bounds of Int128, so this decides only for other doubles.
    guard b < 0x1p126 else { return -1 }
    guard b > -0x1p126 else { return 1 }
    let whole = b.rounded(.towardZero)
    let integer = Int128(whole)
    if a != integer { return a < integer ? -1 : 1 }
    return b == whole ? 0 : b > whole ? -1 : 1
  }

  private static func compare(_ a: DecimalParts, _ b: Double) -> Int? {
    guard b.isFinite else { return b.isNaN ? nil : b > 0 ? -1 : 1 }
    let sign = a.sign
    let other = b == 0 ? 0 : b < 0 ? -1 : 1
    if sign != other { return sign < other ? -1 : 1 }
    if sign == 0 { return 0 }
    // a = m·10^e and b = n·2^k: whole numbers on both sides once negative powers have changed sides.
    let exponent = Int(b.exponent) - 52
    let significand = UInt64(b.magnitude.significand * 0x1p52)
    var left = BigMagnitude(a.mantissa)
    var right = BigMagnitude(UInt128(significand))
    if a.exponent > 0 { left.multiply(byPowerOfTen: a.exponent) } else { right.multiply(byPowerOfTen: -a.exponent) }
    if exponent > 0 { right.shiftLeft(exponent) } else { left.shiftLeft(-exponent) }
    return left.compare(right) * sign
  }
}

extension DecimalParts {
  init(_ integer: Int128) {
    self.init(isNegative: integer < 0, exponent: 0, mantissa: integer.magnitude)
  }

  var sign: Int { mantissa == 0 ? 0 : isNegative ? -1 : 1 }

  /// Negative, zero or positive.
  func compare(_ other: DecimalParts) -> Int {
    if sign != other.sign { return sign < other.sign ? -1 : 1 }
    return sign * compareMagnitude(other)
  }

  private func compareMagnitude(_ other: DecimalParts) -> Int {
    if exponent == other.exponent { return mantissa == other.mantissa ? 0 : mantissa < other.mantissa ? -1 : 1 }
    guard exponent > other.exponent else { return -other.compareMagnitude(self) }
    // The one with the greater exponent is scaled down to the other's; past 128 bits it is the greater.
    guard mantissa != 0 else { return other.mantissa == 0 ? 0 : -1 }
    var scaled = mantissa
    for _ in 0..<(exponent - other.exponent) {
      let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
      if overflow { return 1 }
      scaled = product
    }
    return scaled == other.mantissa ? 0 : scaled < other.mantissa ? -1 : 1
  }
}
