import Foundation

// Foundation's own decimal arithmetic traps when an exponent leaves its range, so it is not used on stored values.
extension DecimalParts {
  /// Exponents of Foundation's Decimal.
  static let exponents = -128...127

  static func sum(_ a: DecimalParts, _ b: DecimalParts) -> DecimalParts? {
    let exponent = min(a.exponent, b.exponent)
    var total = SignedMagnitude()
    total.add(a.scaled(to: exponent), isNegative: a.isNegative)
    total.add(b.scaled(to: exponent), isNegative: b.isNegative)
    return DecimalParts(rounding: total.magnitude, exponent: exponent, isNegative: total.isNegative)
  }

  static func product(_ a: DecimalParts, _ b: DecimalParts) -> DecimalParts? {
    DecimalParts(
      rounding: .product(a.mantissa, b.mantissa), exponent: a.exponent + b.exponent,
      isNegative: a.isNegative != b.isNegative)
  }

  var negated: DecimalParts {
    DecimalParts(isNegative: !isNegative, exponent: exponent, mantissa: mantissa)
  }

  /// The mantissa that the number has with a smaller exponent.
  func scaled(to smaller: Int) -> BigMagnitude {
    var magnitude = BigMagnitude(mantissa)
    magnitude.multiply(byPowerOfTen: exponent - smaller)
    return magnitude
  }

  /// The decimal with exactly this value, if there is one.
  init?(exactly magnitude: BigMagnitude, exponent: Int, isNegative: Bool) {
    var magnitude = magnitude
    var exponent = exponent
    magnitude.removeTrailingZeros(raising: &exponent)
    guard let mantissa = magnitude.uint128 else { return nil }
    self.init(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
    guard mantissa == 0 || Self.exponents.contains(exponent) else { return nil }
  }

  /// The nearest decimal, halves away from zero as Foundation rounds; nil past the greatest.
  ///
  /// - Parameter isInexact: Whether the true number is a little greater.
  init?(rounding magnitude: BigMagnitude, exponent: Int, isNegative: Bool, isInexact: Bool = false) {
    var magnitude = magnitude
    var exponent = exponent
    if !isInexact { magnitude.removeTrailingZeros(raising: &exponent) }
    var last: UInt64 = 0
    while magnitude.uint128 == nil || exponent < Self.exponents.lowerBound && !magnitude.isZero {
      last = magnitude.divide(by: 10)
      exponent += 1
    }
    if last >= 5 { magnitude.add(BigMagnitude(1)) }
    if magnitude.uint128 == nil {
      // The round number 2^128: one digit less, and its last digit was a 6.
      magnitude.divide(by: 10)
      magnitude.add(BigMagnitude(1))
      exponent += 1
    }
    guard let mantissa = magnitude.uint128 else { return nil }
    self.init(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
    guard mantissa == 0 || self.exponent <= Self.exponents.upperBound else { return nil }
  }
}

extension BigMagnitude {
  mutating func removeTrailingZeros(raising exponent: inout Int) {
    while !isZero {
      var tenth = self
      guard tenth.divide(by: 10) == 0 else { return }
      self = tenth
      exponent += 1
    }
  }
}

/// A whole number of any size.
struct SignedMagnitude {
  private(set) var magnitude = BigMagnitude()
  private(set) var isNegative = false

  mutating func add(_ other: BigMagnitude, isNegative negative: Bool) {
    if negative == isNegative {
      magnitude.add(other)
    } else if magnitude.compare(other) >= 0 {
      magnitude.subtract(other)
    } else {
      var difference = other
      difference.subtract(magnitude)
      magnitude = difference
      isNegative = negative
    }
    if magnitude.isZero { isNegative = false }
  }
}
