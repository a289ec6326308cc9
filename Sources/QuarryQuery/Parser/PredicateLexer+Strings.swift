import QuarryBackend

/// Quoted text.
extension PredicateLexer {
  mutating func string(quote: UInt8) throws(StorageError) -> String {
    var content: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      // Runs without an escape are copied whole.
      let run = index
      while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "\\") { index += 1 }
      content.append(contentsOf: bytes[run..<index])
      guard index < bytes.count else { break }
      if bytes[index] == quote {
        end = index + 1
        return String(decoding: content, as: UTF8.self)
      }
      content.append(contentsOf: try escape(&index))
    }
    end = bytes.count
    throw error("the string is not closed")
  }

  /// The bytes that an escape stands for; the index is moved past it.
  private func escape(_ index: inout Int) throws(StorageError) -> [UInt8] {
    let start = index
    index += 2
    switch byte(start + 1) {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "0"): return [0]
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return [byte(start + 1)]
    case UInt8(ascii: "u"): break
    default: throw error("unknown escape in a string: a backslash itself is written \\\\", at: start)
    }
    var code: UInt32?
    if byte(index) == UInt8(ascii: "{") {
      let digits = bytes[(index + 1)...].prefix { $0 != UInt8(ascii: "}") }.prefix(9)
      index = digits.endIndex + 1
      if digits.count <= 8, byte(digits.endIndex) == UInt8(ascii: "}") { code = Self.hexadecimal(digits) }
    } else {
      code = unit(at: &index)
      // Two units of UTF-16 are one scalar.
      if let high = code, (0xD800...0xDBFF).contains(high), byte(index) == UInt8(ascii: "\\"),
        byte(index + 1) == UInt8(ascii: "u")
      {
        index += 2
        if let low = unit(at: &index), (0xDC00...0xDFFF).contains(low) {
          code = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
        }
      }
    }
    guard let code, let scalar = Unicode.Scalar(code) else {
      throw error("expected \\u{…} or \\uXXXX with the number of a Unicode scalar", at: start)
    }
    return Array(String(Character(scalar)).utf8)
  }

  private func unit(at index: inout Int) -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    let digits = bytes[index..<(index + 4)]
    index += 4
    return Self.hexadecimal(digits)
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard !digits.isEmpty else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      guard let digit = digit.hexDigit else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// A name in back quotes, in which two stand for one.
  mutating func quotedName() throws(StorageError) -> String {
    var content: [UInt8] = []
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "`") {
        guard byte(index + 1) == UInt8(ascii: "`") else {
          end = index + 1
          return String(decoding: content, as: UTF8.self)
        }
        index += 1
      }
      content.append(bytes[index])
      index += 1
    }
    end = bytes.count
    throw error("the name in back quotes is not closed")
  }
}
