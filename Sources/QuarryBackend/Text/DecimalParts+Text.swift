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

  /// The decimal of a text of digits with an optional sign, point and power of ten: what ``text`` writes, and more.
  package init?(text: UnsafeRawBufferPointer) {
    var rest = text[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    var digits = DecimalDigits()
    var exponent = 0
    var hasDigits = false
    var hasPoint = false
    while let byte = rest.first, byte != UInt8(ascii: "E"), byte != UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: ".") {
        guard !hasPoint else { return nil }
        hasPoint = true
        continue
      }
      guard byte.isDigit else { return nil }
      hasDigits = true
      if hasPoint { exponent -= 1 }
      digits.append(byte)
      guard !digits.overflows else { return nil }
    }
    guard hasDigits else { return nil }
    if !rest.isEmpty {
      guard let text = String(validating: rest.dropFirst(), as: UTF8.self), let power = Int16(text) else { return nil }
      exponent += Int(power)
    }
    self.init(isNegative: isNegative, exponent: exponent + digits.zeros, mantissa: digits.mantissa)
  }
}

extension DecimalParts {
  /// Digits and exponent, from which the standard library reads the nearest floating-point number.
  package var literal: String { "\(isNegative ? "-" : "")\(mantissa)e\(exponent)" }
}
