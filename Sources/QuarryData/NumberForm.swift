import QuarryBackend

/// The properties of a number's text that determine which types can hold it without loss.
struct NumberForm {
  /// No point, no exponent and no leading zero; `-0` is no integer because integers have no negative zero.
  var isInteger = false
  var isNegative = false
  /// The absolute value of an integer of up to 64 bits.
  var magnitude: UInt64?
  /// Digits from the first to the last that is not zero.
  var significantDigits = 0
  /// The power of ten of the last significant digit.
  var exponent = 0

  /// Reads a number as JSON writes it: `-12`, `1.5`, `1e5`. No leading zeros, no plus sign.
  ///
  /// - Parameter allowsBarePoint: Takes `.5` too, which some programs write into CSV.
  init?(_ text: some Collection<UInt8>, allowsBarePoint: Bool = false) {
    var rest = text[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    guard let first = rest.first else { return nil }
    let isBare = first == UInt8(ascii: ".")
    guard isBare ? allowsBarePoint : first.isDigit else { return nil }

    var value: UInt64 = 0
    var overflows = false
    var digits = 0
    var trailingZeros = 0
    var fraction = 0
    var sawPoint = false
    var index = rest.startIndex
    scan: while index != rest.endIndex {
      let byte = rest[index]
      if byte == UInt8(ascii: ".") {
        if sawPoint { return nil }
        let next = rest.index(after: index)
        guard next != rest.endIndex, rest[next].isDigit else { return nil }
        sawPoint = true
      } else if byte.isDigit {
        // A leading zero: more digits may not follow it.
        if digits == 0, trailingZeros == 0, fraction == 0, !sawPoint, byte == UInt8(ascii: "0") {
          let next = rest.index(after: index)
          if next != rest.endIndex, rest[next].isDigit { return nil }
        }
        if sawPoint { fraction += 1 }
        let digit = UInt64(byte &- UInt8(ascii: "0"))
        if !overflows {
          let (product, over1) = value.multipliedReportingOverflow(by: 10)
          let (sum, over2) = product.addingReportingOverflow(digit)
          value = sum
          overflows = over1 || over2
        }
        if digit != 0 {
          digits += digits == 0 ? 1 : trailingZeros + 1
          trailingZeros = 0
        } else {
          trailingZeros += 1
        }
      } else {
        break scan
      }
      rest.formIndex(after: &index)
    }
    rest = rest[index...]
    var power = 0
    var hasExponent = false
    if let mark = rest.first {
      guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
      guard let parsed = Self.exponent(rest.dropFirst()) else { return nil }
      power = parsed
      hasExponent = true
    }
    significantDigits = digits
    exponent = digits == 0 ? 0 : power - fraction + trailingZeros
    isInteger = !sawPoint && !hasExponent && !(isNegative && digits == 0)
    magnitude = isInteger && !overflows ? value : nil
  }

  /// The exponent's value, cut at 2⁴⁰, which is more than any text has digits.
  private static func exponent(_ text: some Collection<UInt8>) -> Int? {
    var rest = text[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    guard !rest.isEmpty else { return nil }
    var value = 0
    for byte in rest {
      guard byte.isDigit else { return nil }
      value = min(value * 10 + Int(byte) - 48, 1 << 40)
    }
    return isNegative ? -value : value
  }

  /// The integer, if it fits.
  var int64: Int64? {
    guard let magnitude else { return nil }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// Whether a Decimal, which has 38 digits and powers of ten from -128 to 127, holds exactly this number.
  var fitsDecimal: Bool {
    significantDigits <= 38 && (-128...127).contains(exponent)
  }

  /// Whether a Double is meant and holds the number of the text.
  ///
  /// Seventeen digits are the most that a Double can carry, so a number with more digits was no Double when it was written. An
  /// integer must be held exactly.
  func fitsDouble(_ text: some Collection<UInt8>) -> Bool {
    if isInteger {
      guard let magnitude else { return false }
      return magnitude <= 1 << 53 || UInt64(exactly: Double(magnitude)) == magnitude
    }
    guard significantDigits <= 17 else { return false }
    // Between these powers a Double has its full precision and cannot overflow.
    let scale = significantDigits + exponent
    if (-300...300).contains(scale) { return true }
    if significantDigits == 0 { return true }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return false }
    if value.magnitude >= .leastNormalMagnitude { return true }
    guard value != 0, let back = NumberForm(Array(value.magnitude.description.utf8)) else { return false }
    return back.significantDigits == significantDigits && back.exponent == exponent
  }
}
