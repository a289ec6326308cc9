import Foundation
import QuarryBackend

/// UUIDs as 36 characters with capital letters.
enum UUIDText {
  static let count = 36
  private static let digits: StaticString = "0123456789ABCDEF"

  /// Writes the text of 16 bytes.
  static func write(_ bytes: UnsafeRawBufferPointer, to text: UnsafeMutableRawBufferPointer) {
    guard bytes.count == 16, text.count == count else { return }
    var place = 0
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 {
        text[place] = UInt8(ascii: "-")
        place += 1
      }
      text[place] = digits.utf8Start[Int(bytes[index] >> 4)]
      text[place + 1] = digits.utf8Start[Int(bytes[index] & 15)]
      place += 2
    }
  }

  static func text(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    result.withUnsafeMutableBytes { write(bytes, to: $0) }
    return result
  }

  /// The UUID of a text in exactly that form, with capital letters, because TEXT is compared by its bytes.
  static func uuid(_ text: UnsafeRawBufferPointer) -> uuid_t? {
    guard text.count == count else { return nil }
    var result: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let isWhole = withUnsafeMutableBytes(of: &result) { bytes -> Bool in
      var place = 0
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          guard text[place] == UInt8(ascii: "-") else { return false }
          place += 1
        }
        guard let high = nibble(text[place]), let low = nibble(text[place + 1]) else { return false }
        bytes[index] = high << 4 | low
        place += 2
      }
      return true
    }
    return isWhole ? result : nil
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Decimals of text: what ``DecimalParts/text`` writes, read again.
enum DecimalText {
  /// The decimal of a text of digits with an optional sign, point and power of ten.
  static func parts(_ text: UnsafeRawBufferPointer) -> DecimalParts? {
    var rest = text[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    var mantissa: UInt128 = 0
    var exponent = 0
    var pending = 0
    var hasDigits = false
    var hasPoint = false
    while let byte = rest.first, byte != UInt8(ascii: "E"), byte != UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: ".") {
        guard !hasPoint else { return nil }
        hasPoint = true
        continue
      }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      hasDigits = true
      if hasPoint { exponent -= 1 }
      // Zeros are counted until another digit follows, so that those at the end need no room.
      pending += 1
      guard byte != UInt8(ascii: "0") else { continue }
      if mantissa == 0 { pending = 1 }
      guard pending <= 40 else { return nil }
      for _ in 0..<pending {
        let (scaled, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        guard !overflow else { return nil }
        mantissa = scaled
      }
      pending = 0
      let (sum, overflow) = mantissa.addingReportingOverflow(UInt128(byte - UInt8(ascii: "0")))
      guard !overflow else { return nil }
      mantissa = sum
    }
    guard hasDigits else { return nil }
    if !rest.isEmpty {
      guard let text = String(validating: rest.dropFirst(), as: UTF8.self), let power = Int16(text) else { return nil }
      exponent += Int(power)
    }
    return DecimalParts(isNegative: isNegative, exponent: mantissa == 0 ? 0 : exponent + pending, mantissa: mantissa)
  }
}
