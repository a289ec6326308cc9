import Foundation

/// The exact sum of decimals, whatever their exponents and order.
struct DecimalSum {
  /// The sum of the mantissas of one exponent and sign: 192 bits, which no number of rows fills.
  private struct Part {
    var exponent: Int
    var isNegative: Bool
    var low: UInt128 = 0
    var high: UInt64 = 0
  }

  private var parts: [Part] = []

  /// Bytes of a sum with one exponent and sign.
  static let leastBytes = 32 + MemoryLayout<Part>.stride

  mutating func add(_ decimal: DecimalParts) {
    if decimal.mantissa == 0 { return }
    let found = parts.firstIndex { $0.exponent == decimal.exponent && $0.isNegative == decimal.isNegative }
    let index = found ?? parts.count
    if found == nil { parts.append(Part(exponent: decimal.exponent, isNegative: decimal.isNegative)) }
    let (sum, overflow) = parts[index].low.addingReportingOverflow(decimal.mantissa)
    parts[index].low = sum
    if overflow { parts[index].high &+= 1 }
  }

  private var exact: (total: SignedMagnitude, exponent: Int) {
    let exponent = parts.map(\.exponent).min() ?? 0
    var total = SignedMagnitude()
    for part in parts {
      var magnitude = BigMagnitude(limbs: [
        UInt64(truncatingIfNeeded: part.low), UInt64(truncatingIfNeeded: part.low >> 64), part.high,
      ])
      magnitude.multiply(byPowerOfTen: part.exponent - exponent)
      total.add(magnitude, isNegative: part.isNegative)
    }
    return (total, exponent)
  }

  /// The sum; nil when no decimal is exactly it.
  var decimal: Decimal? {
    let (total, exponent) = exact
    return DecimalParts(exactly: total.magnitude, exponent: exponent, isNegative: total.isNegative)?.decimal
  }

  /// The exact sum divided by a count above zero, rounded once to what a decimal holds (38 digits at least), halves
  /// away from zero.
  func average(count: Int) -> Decimal? {
    let (total, smallest) = exact
    var magnitude = total.magnitude
    // Enough digits that the quotient has more than a decimal holds, whatever the count.
    let digits = magnitude.isZero ? 0 : max(0, 224 - magnitude.bitWidth) / 3 + 1
    magnitude.multiply(byPowerOfTen: digits)
    let remainder = magnitude.divide(by: UInt64(max(1, count)))
    return DecimalParts(
      rounding: magnitude, exponent: smallest - digits, isNegative: total.isNegative, isInexact: remainder != 0)?
      .decimal
  }
}
