/// The syntax of JSON: strings, arrays and objects. Its users decide how values are written.
package enum JSONSyntax {
  /// How the characters of a string are written that JSON, or a terminal, does not take as they are.
  package enum Escapes {
    /// The escapes that JSON demands, control characters by their numbers: the stored form.
    case demanded
    /// Line ends and tabs as people know them, and DEL and the C1 controls too, which some terminals obey.
    case readable
  }

  /// Writes an array.
  @inlinable
  package static func append<Element, Failure: Error>(
    array elements: [Element], to bytes: inout [UInt8],
    _ append: (Element, inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try append(element, &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes an object.
  @inlinable
  package static func append<Failure: Error>(
    object members: [Value.Member], to bytes: inout [UInt8], _ escapes: Escapes,
    _ append: (Value, inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      self.append(string: member.name, to: &bytes, escapes)
      bytes.append(UInt8(ascii: ":"))
      try append(member.value, &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes a string in quotes.
  package static func append(string: String, to bytes: inout [UInt8], _ escapes: Escapes) {
    bytes.append(UInt8(ascii: "\""))
    var isAfterC2 = false
    for byte in string.utf8 {
      if isAfterC2 {
        isAfterC2 = false
        if byte < 0xA0 {
          bytes.removeLast()
          append(escaped: byte, to: &bytes)
          continue
        }
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n") where escapes == .readable: bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r") where escapes == .readable: bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t") where escapes == .readable: bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20: append(escaped: byte, to: &bytes)
      case 0x7F where escapes == .readable: append(escaped: byte, to: &bytes)
      default:
        // U+0080 to U+009F are the bytes C2 80 to C2 9F.
        isAfterC2 = byte == 0xC2 && escapes == .readable
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func append(escaped code: UInt8, to bytes: inout [UInt8]) {
    let digits = String(code, radix: 16)
    bytes.append(contentsOf: ("\\u00" + (digits.utf8.count == 1 ? "0" : "") + digits).utf8)
  }
}
