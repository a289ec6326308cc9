import QuarryBackend

/// Reads a file's text as UTF-8, whatever its encoding, without the byte order mark of that encoding.
///
/// The bytes of UTF-8 are handed on unchanged: their reader checks them.
final class TextDecoder {
  let source: ByteSource
  private let encoding: TextEncoding
  private var isAtStart: Bool
  /// Bytes that were read and not decoded yet.
  private var raw: [UInt8] = []
  private var position = 0
  /// The place of the first of them in the file.
  private var offset: Int64 = 0

  /// - Parameter skipsMark: Whether a byte order mark at the beginning is no part of the text.
  init(_ source: ByteSource, _ encoding: TextEncoding, skipsMark: Bool = true) {
    self.source = source
    self.encoding = encoding
    isAtStart = skipsMark
  }

  /// Writes the next bytes of the text into memory.
  ///
  /// - Parameter memory: Room for four bytes at least.
  /// - Returns: The number of bytes; 0 at the end.
  /// - Throws: `invalidValue` with the place in the file for bytes that are no text of the encoding; `io`.
  func read(into memory: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    if isAtStart { try skipMark() }
    if encoding == .utf8 {
      guard position < raw.count else { return try source.read(into: memory) }
      let count = min(memory.count, raw.count - position)
      memory.copyBytes(from: raw[position..<(position + count)])
      position += count
      return count
    }
    while true {
      let count =
        switch encoding {
        case .utf16LittleEndian, .utf16BigEndian: try decodeUnits(memory)
        case .latin1, .windows1252: try decodeBytes(memory)
        case .utf8: 0
        }
      if count > 0 { return count }
      guard try refill() else {
        if position < raw.count { throw wrong(at: position, "the text ends inside a character") }
        return 0
      }
    }
  }

  private func skipMark() throws(StorageError) {
    isAtStart = false
    while raw.count < 4, try refill() {}
    if !encoding.mark.isEmpty, raw.starts(with: encoding.mark) { position = encoding.mark.count }
  }

  /// Reads more bytes behind the remaining ones.
  private func refill() throws(StorageError) -> Bool {
    offset += Int64(position)
    raw.removeFirst(position)
    position = 0
    let kept = raw.count
    // For a small file a small chunk is enough. The file may have become longer.
    let left = Int(clamping: max(0, source.size - source.bytesRead))
    let wanted = max(4, min(source.chunkSize, left + 64))
    raw.append(contentsOf: repeatElement(0, count: wanted))
    let count = try raw.withMutableBytes { (bytes) throws(StorageError) in
      try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept...]))
    }
    raw.removeLast(wanted - count)
    return count > 0
  }

  private func wrong(at place: Int, _ what: String) -> StorageError {
    StorageError(
      .invalidValue, "byte \(offset + Int64(place) + 1) of \(source.path): \(what) in \(encoding.rawValue)")
  }

  private func decodeBytes(_ memory: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    var count = 0
    while position < raw.count, count + 3 <= memory.count {
      let byte = raw[position]
      var scalar = UInt32(byte)
      if encoding == .windows1252, (0x80..<0xA0).contains(byte) {
        scalar = TextEncoding.windowsScalars[Int(byte) - 0x80]
        if scalar == 0 { throw wrong(at: position, "0x\(String(byte, radix: 16, uppercase: true)) is not a character") }
      }
      count += Self.write(scalar, memory, count)
      position += 1
    }
    return count
  }

  private func decodeUnits(_ memory: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    var count = 0
    while position + 2 <= raw.count, count + 4 <= memory.count {
      let unit = unit(position)
      guard (0xD800..<0xE000).contains(unit) else {
        count += Self.write(unit, memory, count)
        position += 2
        continue
      }
      // The other half may be in the part that is not read yet.
      guard position + 4 <= raw.count else { break }
      let low = self.unit(position + 2)
      guard unit < 0xDC00, (0xDC00..<0xE000).contains(low) else {
        throw wrong(at: position, "half of a surrogate pair")
      }
      count += Self.write(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), memory, count)
      position += 4
    }
    return count
  }

  private func unit(_ place: Int) -> UInt32 {
    let (first, second) = (UInt32(raw[place]), UInt32(raw[place + 1]))
    return encoding == .utf16LittleEndian ? second << 8 | first : first << 8 | second
  }

  /// Writes a scalar as UTF-8.
  ///
  /// - Returns: The number of its bytes.
  private static func write(_ scalar: UInt32, _ memory: UnsafeMutableRawBufferPointer, _ place: Int) -> Int {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: scalar >> shift & 0x3F | 0x80) }
    switch scalar {
    case 0..<0x80:
      memory[place] = UInt8(truncatingIfNeeded: scalar)
      return 1
    case 0x80..<0x800:
      memory[place] = UInt8(truncatingIfNeeded: scalar >> 6 | 0xC0)
      memory[place + 1] = tail(0)
      return 2
    case 0x800..<0x10000:
      memory[place] = UInt8(truncatingIfNeeded: scalar >> 12 | 0xE0)
      memory[place + 1] = tail(6)
      memory[place + 2] = tail(0)
      return 3
    default:
      memory[place] = UInt8(truncatingIfNeeded: scalar >> 18 | 0xF0)
      memory[place + 1] = tail(12)
      memory[place + 2] = tail(6)
      memory[place + 3] = tail(0)
      return 4
    }
  }
}
