/// A number as most cells have it, read in one pass: digits, perhaps with a sign before them and a point in them, no zero in
/// front, at most 18 digits.
package struct PlainNumber {
  package var isNegative: Bool
  /// The digits as one number.
  package var digits: UInt64
  /// The number of digits, including zeros in front of a fraction.
  package var count: Int
  /// The number of digits after the point.
  package var fraction: Int

  /// - Returns: nil for any other notation, number or not: ``NumberForm`` handles it.
  @inlinable @inline(__always)
  package init?(_ text: UnsafeRawBufferPointer) {
    guard let base = text.baseAddress, text.count > 0 else { return nil }
    let bytes = base.assumingMemoryBound(to: UInt8.self)
    let end = text.count
    var place = 0
    isNegative = bytes[0] == UInt8(ascii: "-")
    if isNegative { place = 1 }
    let first = place
    digits = 0
    while place < end {
      let digit = bytes[place] &- 0x30
      guard digit < 10 else { break }
      digits = digits &* 10 &+ UInt64(digit)
      place &+= 1
    }
    count = place &- first
    fraction = 0
    guard count > 0, count <= 18, count == 1 || bytes[first] != 0x30 else { return nil }
    if place == end { return }
    guard bytes[place] == UInt8(ascii: ".") else { return nil }
    place &+= 1
    let point = place
    while place < end {
      let digit = bytes[place] &- 0x30
      guard digit < 10 else { return nil }
      digits = digits &* 10 &+ UInt64(digit)
      place &+= 1
    }
    fraction = place &- point
    count = count &+ fraction
    guard fraction > 0, count <= 18 else { return nil }
  }

  /// The integer; nil for one with a point, and for a zero with a sign, which no integer has.
  @inlinable package var int64: Int64? {
    guard fraction == 0, !isNegative || digits > 0 else { return nil }
    let value = Int64(bitPattern: digits)
    return isNegative ? 0 &- value : value
  }

  /// The nearest Double; nil where that takes more than one division of numbers that a Double holds exactly.
  @inlinable package var double: Double? {
    guard digits <= 1 &<< 53 else { return nil }
    let value = fraction == 0 ? Double(digits) : Double(digits) / Self.powers[fraction]
    return isNegative ? -value : value
  }

  /// Powers of ten, as far as a fraction has digits.
  @usableFromInline static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]
}
