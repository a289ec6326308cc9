import Foundation
import QuarryBackend

/// A finite number exactly: a whole magnitude of any size, times powers of two and five. Slow, and simple enough to be
/// believed.
package struct ReferenceNumber {
  private var isNegative: Bool
  /// The lowest digits of base 2^32 first; empty for zero.
  private var magnitude: [UInt32] = []
  private var twos = 0
  private var fives = 0

  /// A number written in digits, with a point or without one.
  package init(_ text: String) {
    isNegative = text.utf8.first == UInt8(ascii: "-")
    var isFraction = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: ".") { isFraction = true }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { continue }
      multiply(by: 10, adding: UInt32(byte - UInt8(ascii: "0")))
      if isFraction {
        twos -= 1
        fives -= 1
      }
    }
  }

  /// A whole number.
  package init(_ value: some FixedWidthInteger) {
    isNegative = value < 0
    var rest = UInt64(value.magnitude)
    while rest > 0 {
      magnitude.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
  }

  /// A finite floating-point number.
  package init(_ value: Double) {
    self.init(value == 0 ? 0 : UInt64(value.magnitude.significand * 0x1p52))
    isNegative = value < 0
    if value != 0 { twos = Int(value.exponent) - 52 }
  }

  /// A decimal. Foundation takes microseconds to write one down.
  init(_ value: Decimal) {
    self = Self.decimals.answer(DecimalKey(value)) { ReferenceNumber(value.description) }
  }

  private static let decimals = Memo<DecimalKey, ReferenceNumber>()

  private mutating func multiply(by factor: UInt32, adding addend: UInt32 = 0) {
    var carry = UInt64(addend)
    for index in magnitude.indices {
      let product = UInt64(magnitude[index]) * UInt64(factor) + carry
      magnitude[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { magnitude.append(UInt32(carry)) }
  }

  /// The same number with these smaller powers.
  private func aligned(twos: Int, fives: Int) -> ReferenceNumber {
    var result = self
    while result.twos > twos {
      let step = min(result.twos - twos, 24)
      result.multiply(by: 1 << UInt32(step))
      result.twos -= step
    }
    while result.fives > fives {
      result.multiply(by: 5)
      result.fives -= 1
    }
    return result
  }

  private static func aligned(_ a: ReferenceNumber, _ b: ReferenceNumber) -> (ReferenceNumber, ReferenceNumber) {
    let (twos, fives) = (min(a.twos, b.twos), min(a.fives, b.fives))
    return (a.aligned(twos: twos, fives: fives), b.aligned(twos: twos, fives: fives))
  }

  private static func compareMagnitudes(_ a: [UInt32], _ b: [UInt32]) -> Int {
    if a.count != b.count { return a.count < b.count ? -1 : 1 }
    for (left, right) in zip(a.reversed(), b.reversed()) where left != right { return left < right ? -1 : 1 }
    return 0
  }

  /// Less than 0, 0, or greater than 0.
  package static func compare(_ a: ReferenceNumber, _ b: ReferenceNumber) -> Int {
    if a.magnitude.isEmpty, b.magnitude.isEmpty { return 0 }
    if a.isNegative != b.isNegative {
      if a.magnitude.isEmpty { return b.isNegative ? 1 : -1 }
      return a.isNegative ? -1 : 1
    }
    let (left, right) = aligned(a, b)
    let magnitudes = compareMagnitudes(left.magnitude, right.magnitude)
    return a.isNegative ? -magnitudes : magnitudes
  }

  var negated: ReferenceNumber {
    var number = self
    number.isNegative.toggle()
    return number
  }

  static func * (a: ReferenceNumber, b: ReferenceNumber) -> ReferenceNumber {
    var product = ReferenceNumber(0)
    for digit in b.magnitude.reversed() {
      for _ in 0..<32 { product.multiply(by: 2) }
      var part = a
      part.isNegative = false
      (part.twos, part.fives) = (0, 0)
      part.multiply(by: digit)
      while part.magnitude.last == 0 { part.magnitude.removeLast() }
      product = product + part
    }
    product.isNegative = a.isNegative != b.isNegative
    (product.twos, product.fives) = (a.twos + b.twos, a.fives + b.fives)
    return product
  }

  package static func + (a: ReferenceNumber, b: ReferenceNumber) -> ReferenceNumber {
    var (large, small) = aligned(a, b)
    if compareMagnitudes(large.magnitude, small.magnitude) < 0 { swap(&large, &small) }
    let isSum = large.isNegative == small.isNegative
    var carry: Int64 = 0
    for index in large.magnitude.indices {
      let other = index < small.magnitude.count ? Int64(small.magnitude[index]) : 0
      let digit = Int64(large.magnitude[index]) + (isSum ? other : -other) + carry
      large.magnitude[index] = UInt32(truncatingIfNeeded: digit)
      carry = digit >> 32
    }
    if carry > 0 { large.magnitude.append(UInt32(carry)) }
    while large.magnitude.last == 0 { large.magnitude.removeLast() }
    return large
  }

  /// The number, rounded once to the nearest Double, of two that are as near to the one whose last bit is even.
  package var rounded: Double {
    if magnitude.isEmpty { return 0 }
    var positive = self
    positive.isNegative = false
    // Bit patterns of positive Doubles have the order of their values.
    var (low, high) = (UInt64(0), Double.infinity.bitPattern)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if Self.compare(ReferenceNumber(Double(bitPattern: middle)), positive) <= 0 {
        low = middle
      } else {
        high = middle
      }
    }
    let below = Double(bitPattern: low)
    let next = low + 1 == Double.infinity.bitPattern ? nil : Double(bitPattern: low + 1)
    // Above the greatest Double the next would be 2^1024.
    let above = next.map { ReferenceNumber($0) } ?? Self.twoTo1024
    let middle = Self.compare(positive + positive, ReferenceNumber(below) + above)
    let isUp = middle > 0 || middle == 0 && low & 1 == 1
    let result = isUp ? next ?? .infinity : below
    return isNegative ? -result : result
  }

  private static var twoTo1024: ReferenceNumber {
    var number = ReferenceNumber(1)
    number.twos = 1024
    return number
  }
}
