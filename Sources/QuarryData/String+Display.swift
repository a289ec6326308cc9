extension String {
  /// The text in which control characters are seen as their pictures. Ends of lines stay.
  package var withControlPictures: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x0A, 0x09: result.append(scalar)
      case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "␀")
      case 0x7F: result.append("␡")
      case 0x80..<0xA0: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { value < 0x20 && value != 0x0A && value != 0x09 || (0x7F..<0xA0).contains(value) }
}

extension Int {
  /// The number with a comma before each three digits.
  package var withCommas: String {
    let digits = String(magnitude)
    var text = self < 0 ? "-" : ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.utf8.count - place) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }
}
