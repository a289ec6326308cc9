/// A number as it is written: `-12`, `0.1`, `1.5e-3`.
struct NumberText {
  private(set) var isNegative = false
  /// The digits without the point, as far as 128 bits hold them.
  private var mantissa: UInt128 = 0
  private var overflows = false
  /// Zeros that no other digit has followed yet: they may be too many for 128 bits and yet mean nothing but a power.
  private var zeros = 0
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
    guard Self.isDigit(at(index)) else { return nil }
    while Self.isDigit(at(index)) {
      append(at(index))
      index = bytes.index(after: index)
    }
    if at(index) == UInt8(ascii: "."), Self.isDigit(at(bytes.index(after: index))) {
      hasPoint = true
      index = bytes.index(after: index)
      while Self.isDigit(at(index)) {
        append(at(index))
        exponent -= 1
        index = bytes.index(after: index)
      }
    }
    if at(index) | 0x20 == UInt8(ascii: "e") {
      var next = bytes.index(after: index)
      let sign = at(next)
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { next = bytes.index(after: next) }
      if Self.isDigit(at(next)) {
        hasExponent = true
        var power = 0
        while Self.isDigit(at(next)) {
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

  private mutating func append(_ digit: UInt8) {
    guard digit != 0x30 else {
      if mantissa != 0 { zeros += 1 }
      return
    }
    for _ in 0...zeros where !overflows { scale() }
    zeros = 0
    let (sum, overflow) = mantissa.addingReportingOverflow(UInt128(digit - 0x30))
    if overflow { overflows = true } else { mantissa = sum }
  }

  private mutating func scale() {
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
    if overflow { overflows = true } else { mantissa = product }
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// The integer, when it is written as one and has at most 64 bits.
  var integer: Value? {
    guard !hasPoint, !hasExponent else { return nil }
    var scaled = self
    for _ in 0..<zeros where !scaled.overflows { scaled.scale() }
    guard !scaled.overflows, let magnitude = Int128(exactly: scaled.mantissa) else { return nil }
    let value = isNegative ? -magnitude : magnitude
    guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else { return nil }
    return Value(integer: value)
  }

  /// The decimal, when its digits and exponent can be stored.
  var decimal: DecimalParts? {
    guard !overflows else { return nil }
    let parts = DecimalParts(isNegative: isNegative, exponent: exponent + zeros, mantissa: mantissa)
    return (-128...127).contains(parts.exponent) ? parts : nil
  }
}
