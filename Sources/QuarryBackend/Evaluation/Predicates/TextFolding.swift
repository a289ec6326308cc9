import Foundation

/// Folding of strings: Foundation's, without a locale, and a quick way for ASCII, which gives the same.
enum TextFolding {
  static func folded(_ string: String, _ options: TextOptions) -> String {
    var compare: String.CompareOptions = []
    if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
    return compare.isEmpty ? string : string.folding(options: compare, locale: nil)
  }

  static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var index = 0
    var all: UInt64 = 0
    while index &+ 8 <= bytes.count {
      all |= base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    while index < bytes.count {
      all |= UInt64(base.load(fromByteOffset: index, as: UInt8.self))
      index &+= 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }

  /// Calls the body with the folded bytes. ASCII is folded on the stack.
  ///
  /// - Throws: `corrupt` when the bytes are not UTF-8.
  static func withFolded(
    _ bytes: UnsafeRawBufferPointer, _ options: TextOptions, _ body: (UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) -> Bool {
    if isASCII(bytes) {
      guard options.contains(.caseInsensitive) else { return body(bytes) }
      return withUnsafeTemporaryAllocation(byteCount: max(1, bytes.count), alignment: 8) { buffer in
        for index in 0..<bytes.count {
          let byte = bytes[index]
          buffer[index] = byte &- 65 < 26 ? byte | 0x20 : byte
        }
        return body(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count]))
      }
    }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw StorageError(.corrupt, "damaged row: text is not UTF-8")
    }
    var folded = folded(string, options)
    return folded.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
