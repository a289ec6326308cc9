package import Foundation

/// UUIDs as text of 36 characters; it is written with capital letters.
package enum UUIDText {
  @inlinable package static var count: Int { 36 }
  @usableFromInline static var digits: StaticString { "0123456789ABCDEF" }

  /// Writes the text of 16 bytes.
  @inlinable
  package static func write(_ bytes: UnsafeRawBufferPointer, to text: UnsafeMutableRawBufferPointer) {
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

  package static func text(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    result.withUnsafeMutableBytes { write(bytes, to: $0) }
    return result
  }

  /// The bytes of the UUID of a text.
  ///
  /// - Parameter allowsLowercase: False where texts are compared by their bytes, so that each UUID has one.
  @inlinable
  package static func bytes(_ text: some Collection<UInt8>, allowsLowercase: Bool) -> uuid_t? {
    guard text.count == count else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var place = 0
    for byte in text {
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = byte.hexDigit, allowsLowercase || byte < UInt8(ascii: "a") else { return nil }
        high = high &<< 4 | low &>> 60
        low = low &<< 4 | UInt64(digit)
      }
      place &+= 1
    }
    return unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self)
  }
}
