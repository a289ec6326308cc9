import QuarryBackend

/// The decimals that can be stored next to a number: 38 digits and an exponent of one byte do not hold every Double.
struct DecimalNeighbours {
  /// The greatest that is not above the number, and the least that is not below it.
  private(set) var below: DecimalParts?
  private(set) var above: DecimalParts?

  private static let exponents = -128...127

  /// The constant as a comparison uses it.
  var fitted: FittedConstant {
    if let below, below == above { return .exact(.decimal(below.decimal)) }
    return .between(below: below.map { .decimal($0.decimal) }, above: above.map { .decimal($0.decimal) })
  }

  private init() {}

  /// The neighbours of a decimal, which is its own unless its exponent is out of range.
  init(isNegative: Bool, mantissa: UInt128, exponent: Int) {
    self.init()
    let parts = DecimalParts(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
    if Self.exponents.contains(parts.exponent) {
      (below, above) = (parts, parts)
    } else {
      var scaled = mantissa
      var scale = exponent
      while scale > Self.exponents.upperBound {
        let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
        guard !overflow else {
          set(isNegative, below: Self.greatest, above: nil)
          return
        }
        scaled = product
        scale -= 1
      }
      // The last digit is 0, so that its neighbours have none to strip.
      set(isNegative, below: (scaled - 1, scale), above: (scaled + 1, scale))
    }
  }

  /// The neighbours of a number that is not NaN.
  init(of double: Double) {
    let magnitude = double.magnitude
    let isNegative = double.sign == .minus
    if magnitude < 0x1p63, magnitude == magnitude.rounded(.towardZero) {
      self.init(isNegative: isNegative, mantissa: UInt128(magnitude), exponent: 0)
      return
    }
    self.init()
    guard magnitude.isFinite else {
      set(isNegative, below: Self.greatest, above: nil)
      return
    }
    // The number is `numerator / denominator`, both exact.
    var numerator = BigMagnitude(UInt128(magnitude.significand * 0x1p52))
    var denominator = BigMagnitude(1)
    let power = Int(magnitude.exponent) - 52
    if power >= 0 { numerator.shiftLeft(power) } else { denominator.shiftLeft(-power) }

    // The finest power of ten at which the digits have 128 bits.
    var exponent = max(Self.exponents.lowerBound, decimalExponent(magnitude) - 39)
    if exponent < 0 {
      numerator.multiply(byPowerOfTen: -exponent)
    } else {
      denominator.multiply(byPowerOfTen: exponent)
    }
    while exponent <= Self.exponents.upperBound {
      if let (quotient, isExact) = numerator.dividedTo128Bits(by: denominator) {
        set(isNegative, quotient, exponent, isExact)
        return
      }
      denominator.multiply(by: 10)
      exponent += 1
    }
    set(isNegative, below: Self.greatest, above: nil)
  }

  private static let greatest = (mantissa: UInt128.max, exponent: exponents.upperBound)

  private mutating func set(_ isNegative: Bool, _ quotient: UInt128, _ exponent: Int, _ isExact: Bool) {
    if isExact {
      self = DecimalNeighbours(isNegative: isNegative, mantissa: quotient, exponent: exponent)
      return
    }
    let isCoarsest = exponent == Self.exponents.upperBound
    var below = (mantissa: quotient, exponent: exponent)
    if isCoarsest, quotient % 10 == 0, quotient != 0 {
      below.mantissa -= 1
    } else if quotient == .max / 10, exponent > Self.exponents.lowerBound {
      // The only case where digits of the finer power of ten are above the digits of this one.
      below = (.max, exponent - 1)
    }
    var above: (mantissa: UInt128, exponent: Int)?
    if quotient < .max - 1 {
      above = (quotient + (isCoarsest && quotient % 10 == 9 ? 2 : 1), exponent)
    } else if !isCoarsest {
      above = (.max / 10 + 1, exponent + 1)
    }
    set(isNegative, below: below, above: above)
  }

  private mutating func set(
    _ isNegative: Bool, below: (mantissa: UInt128, exponent: Int), above: (mantissa: UInt128, exponent: Int)?
  ) {
    let inner = DecimalParts(isNegative: isNegative, exponent: below.exponent, mantissa: below.mantissa)
    let outer = above.map { DecimalParts(isNegative: isNegative, exponent: $0.exponent, mantissa: $0.mantissa) }
    (self.below, self.above) = isNegative ? (outer, inner) : (inner, outer)
  }

  /// The power of ten of the number's first digit, or one less.
  private func decimalExponent(_ magnitude: Double) -> Int {
    // log10(2) is 0.30103; a subnormal number has its true exponent here.
    Int((Double(magnitude.exponent) * 0.30102999566398).rounded(.down))
  }
}

extension BigMagnitude {
  /// The quotient and whether nothing is left over; nil when the quotient has more than 128 bits.
  func dividedTo128Bits(by divisor: BigMagnitude) -> (quotient: UInt128, isExact: Bool)? {
    var rest = self
    var quotient: UInt128 = 0
    for bit in stride(from: max(0, bitWidth - divisor.bitWidth), through: 0, by: -1) {
      var part = divisor
      part.shiftLeft(bit)
      guard rest.compare(part) >= 0 else { continue }
      guard bit < 128 else { return nil }
      rest.subtract(part)
      quotient |= 1 << UInt128(bit)
    }
    return (quotient, rest.isZero)
  }
}
