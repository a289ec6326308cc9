import QuarryBackend

/// Values as JSON.
enum JSONText {
  static func string(_ value: Value) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Numbers are written with all their digits, so that integers up to 64 bits and decimals are exact for readers that
  /// keep them. NaN and the infinities, dates, data, UUIDs and URLs are strings, because JSON has no form for them.
  static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool, .int, .uint, .decimal: bytes.append(contentsOf: ValueText.string(value).utf8)
    case .float(let number) where number.isFinite: bytes.append(contentsOf: number.description.utf8)
    case .double(let number) where number.isFinite: bytes.append(contentsOf: number.description.utf8)
    case .float, .double, .string, .date, .data, .uuid, .url: append(ValueText.string(value), to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(element, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(member.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// A string. Besides what JSON demands, DEL and the C1 controls are escaped, which some terminals obey.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var isAfterC2 = false
    for byte in text.utf8 {
      if isAfterC2 {
        isAfterC2 = false
        if byte < 0xA0 {
          bytes.removeLast()
          escape(byte, to: &bytes)
          continue
        }
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20, 0x7F: escape(byte, to: &bytes)
      default:
        // U+0080 to U+009F are the bytes C2 80 to C2 9F.
        isAfterC2 = byte == 0xC2
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ code: UInt8, to bytes: inout [UInt8]) {
    let digits = String(code, radix: 16)
    bytes.append(contentsOf: ("\\u00" + (digits.utf8.count == 1 ? "0" : "") + digits).utf8)
  }
}
