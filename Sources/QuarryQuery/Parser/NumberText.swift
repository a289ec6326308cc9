import QuarryBackend

/// A number as it is written: `-12`, `0.1`, `1.5e-3`.
struct NumberText {
  private(set) var isNegative = false
  /// The digits without the point.
  private var digits = DecimalDigits()
  /// The power of ten of the last digit.
  private var exponent = 0
  private(set) var hasPoint = false
  private(set) var hasExponent = false

  /// Reads a whole text; nil when it is no number.
  init?(_ text: String) {
    guard let end = scan(text.utf8), end == text.utf8.endIndex else { return nil }
  }

  /// Reads a number at the beginning of the bytes.
  ///
  /// - Parameter end: Is set to the place after the number.
  init?(prefix bytes: ArraySlice<UInt8>, end: inout Int) {
    guard let index = scan(bytes) else { return nil }
    end = index
  }

  private mutating func scan<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.Index? {
    var index = bytes.startIndex
    func at(_ index: Bytes.Index) -> UInt8 { index < bytes.endIndex ? bytes[index] : 0 }
    if at(index) == UInt8(ascii: "-") || at(index) == UInt8(ascii: "+") {
      isNegative = at(index) == UInt8(ascii: "-")
      index = bytes.index(after: index)
    }
    guard at(index).isDigit else { return nil }
    while at(index).isDigit {
      digits.append(at(index))
      index = bytes.index(after: index)
    }
    if at(index) == UInt8(ascii: "."), at(bytes.index(after: index)).isDigit {
      hasPoint = true
      index = bytes.index(after: index)
      while at(index).isDigit {
        digits.append(at(index))
        exponent -= 1
        index = bytes.index(after: index)
      }
    }
    if at(index) | 0x20 == UInt8(ascii: "e") {
      var next = bytes.index(after: index)
      let sign = at(next)
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { next = bytes.index(after: next) }
      if at(next).isDigit {
        hasExponent = true
        var power = 0
        while at(next).isDigit {
          // Past this no number is finite or different from zero, and nothing overflows.
          power = min(power * 10 + Int(at(next) - 0x30), 1_000_000)
          next = bytes.index(after: next)
        }
        exponent += sign == UInt8(ascii: "-") ? -power : power
        index = next
      }
    }
    return index
  }

  /// The integer, when it is written as one and has at most 64 bits.
  var integer: Value? {
    guard !hasPoint, !hasExponent, let whole = digits.whole, let magnitude = Int128(exactly: whole) else { return nil }
    let value = isNegative ? -magnitude : magnitude
    guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else { return nil }
    return Value(integer: value)
  }

  /// The decimal, when its digits and exponent can be stored.
  var decimal: DecimalParts? {
    guard !digits.overflows else { return nil }
    let parts = DecimalParts(isNegative: isNegative, exponent: exponent + digits.zeros, mantissa: digits.mantissa)
    return (-128...127).contains(parts.exponent) ? parts : nil
  }
}
