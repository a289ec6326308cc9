/// A whole number of any size without a sign, for the few places that must be exact: ends of sums, comparisons of
/// decimals with binary fractions. Allocates; not for every row.
package struct BigMagnitude: Equatable {
  /// Base 2^64, the least first, without zeros at the end.
  private(set) var limbs: [UInt64]

  package init(_ value: UInt128 = 0) {
    limbs = [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)]
    trim()
  }

  init(limbs: [UInt64]) {
    self.limbs = limbs
    trim()
  }

  private mutating func trim() {
    while limbs.last == 0 { limbs.removeLast() }
  }

  package var isZero: Bool { limbs.isEmpty }

  /// The number of bits up to the highest one.
  package var bitWidth: Int {
    guard let last = limbs.last else { return 0 }
    return limbs.count * 64 - last.leadingZeroBitCount
  }

  /// The number, if it has at most 128 bits.
  var uint128: UInt128? {
    guard limbs.count <= 2 else { return nil }
    let low = UInt128(limbs.first ?? 0)
    return limbs.count == 2 ? UInt128(limbs[1]) << 64 | low : low
  }

  func bit(_ index: Int) -> Bool {
    let limb = index >> 6
    return limb < limbs.count && limbs[limb] >> UInt64(index & 63) & 1 == 1
  }

  /// Whether a bit below the index is set.
  func hasBits(below index: Int) -> Bool {
    let limb = min(index >> 6, limbs.count)
    if limbs[..<limb].contains(where: { $0 != 0 }) { return true }
    guard limb < limbs.count else { return false }
    return limbs[limb] & (1 << UInt64(index & 63) &- 1) != 0
  }

  /// The low 64 bits after a shift to the right.
  func shiftedRight(_ count: Int) -> UInt64 {
    let limb = count >> 6
    guard limb < limbs.count else { return 0 }
    let shift = UInt64(count & 63)
    let low = limbs[limb] >> shift
    return shift > 0 && limb + 1 < limbs.count ? low | limbs[limb + 1] << (64 - shift) : low
  }

  package mutating func shiftLeft(_ count: Int) {
    guard !isZero, count > 0 else { return }
    let shift = UInt64(count & 63)
    if shift > 0 {
      var carry: UInt64 = 0
      for index in limbs.indices {
        let limb = limbs[index]
        limbs[index] = limb << shift | carry
        carry = limb >> (64 - shift)
      }
      if carry != 0 { limbs.append(carry) }
    }
    limbs.insert(contentsOf: repeatElement(0, count: count >> 6), at: 0)
  }

  mutating func add(_ other: BigMagnitude) {
    var carry: UInt64 = 0
    for index in 0..<max(limbs.count, other.limbs.count) {
      if index == limbs.count { limbs.append(0) }
      let (first, over1) = limbs[index].addingReportingOverflow(index < other.limbs.count ? other.limbs[index] : 0)
      let (second, over2) = first.addingReportingOverflow(carry)
      limbs[index] = second
      carry = over1 || over2 ? 1 : 0
    }
    if carry != 0 { limbs.append(carry) }
  }

  /// Subtracts a number that is not greater.
  package mutating func subtract(_ other: BigMagnitude) {
    var borrow: UInt64 = 0
    for index in limbs.indices {
      let (first, under1) = limbs[index].subtractingReportingOverflow(
        index < other.limbs.count ? other.limbs[index] : 0)
      let (second, under2) = first.subtractingReportingOverflow(borrow)
      limbs[index] = second
      borrow = under1 || under2 ? 1 : 0
    }
    trim()
  }

  package mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let (high, low) = limbs[index].multipliedFullWidth(by: factor)
      let (sum, over) = low.addingReportingOverflow(carry)
      limbs[index] = sum
      // The high half of a product is at most 2^64 - 2.
      carry = high &+ (over ? 1 : 0)
    }
    if carry != 0 { limbs.append(carry) }
    trim()
  }

  static func product(_ a: UInt128, _ b: UInt128) -> BigMagnitude {
    let (high, low) = a.multipliedFullWidth(by: b)
    return BigMagnitude(limbs: [
      UInt64(truncatingIfNeeded: low), UInt64(truncatingIfNeeded: low >> 64), UInt64(truncatingIfNeeded: high),
      UInt64(truncatingIfNeeded: high >> 64),
    ])
  }

  package mutating func multiply(byPowerOfTen power: Int) {
    var rest = power
    while rest > 0 {
      let step = min(rest, 19)
      var factor: UInt64 = 1
      for _ in 0..<step { factor &*= 10 }
      multiply(by: factor)
      rest -= step
    }
  }

  /// Divides by a number above zero and gives the remainder.
  @discardableResult
  mutating func divide(by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for index in limbs.indices.reversed() {
      // The remainder is below the divisor, so the quotient fits.
      (limbs[index], remainder) = divisor.dividingFullWidth((remainder, limbs[index]))
    }
    trim()
    return remainder
  }

  package func compare(_ other: BigMagnitude) -> Int {
    guard limbs.count == other.limbs.count else { return limbs.count < other.limbs.count ? -1 : 1 }
    for index in limbs.indices.reversed() where limbs[index] != other.limbs[index] {
      return limbs[index] < other.limbs[index] ? -1 : 1
    }
    return 0
  }

  /// The nearest floating-point number to this times a power of two, ties to even; infinity past the greatest.
  ///
  /// - Parameter isInexact: Whether the true number is a little greater, by less than one of this number's units. It
  ///   must then have at least two bits more than the result.
  func rounded<F: BinaryFloatingPoint>(exponent: Int, isInexact: Bool = false, as type: F.Type = F.self) -> F {
    guard !isZero else { return 0 }
    let unit = max(bitWidth + exponent - 1 - F.significandBitCount, Int(F.leastNonzeroMagnitude.exponent))
    let dropped = unit - exponent
    var significand: UInt64
    if dropped <= 0 {
      significand = shiftedRight(0) << UInt64(-dropped)
    } else {
      significand = shiftedRight(dropped)
      if bit(dropped - 1), isInexact || hasBits(below: dropped - 1) || significand & 1 == 1 { significand += 1 }
    }
    return F(sign: .plus, exponent: F.Exponent(unit), significand: F(significand))
  }
}
