extension DecimalParts {
  private static let mostDigits = 40

  /// The decimal as people read it, in UTF-8: `-12.5`, and `1.5E+60` where there would be more than 40 digits.
  public var text: [UInt8] {
    var text: [UInt8] = []
    if isNegative { text.append(UInt8(ascii: "-")) }
    let digits = digits.map { $0 + UInt8(ascii: "0") }
    let zero = UInt8(ascii: "0")
    let point = digits.count + exponent
    if digits.isEmpty {
      text.append(zero)
    } else if exponent >= 0, point <= Self.mostDigits {
      text += digits + [UInt8](repeating: zero, count: exponent)
    } else if exponent < 0, point > 0 {
      text += digits[..<point] + [UInt8(ascii: ".")] + digits[point...]
    } else if exponent < 0, digits.count - point <= Self.mostDigits {
      text += [zero, UInt8(ascii: ".")] + [UInt8](repeating: zero, count: -point) + digits
    } else {
      text.append(digits[0])
      if digits.count > 1 { text += [UInt8(ascii: ".")] + digits[1...] }
      text += Array("E\(point > 0 ? "+" : "")\(point - 1)".utf8)
    }
    return text
  }
}
