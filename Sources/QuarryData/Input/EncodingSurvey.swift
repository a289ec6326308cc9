import QuarryBackend

/// Finds the encoding of a file that does not declare it.
struct EncodingSurvey {
  private(set) var encoding = TextEncoding.utf8
  /// The reason for the encoding; nil for UTF-8 without a byte order mark, which needs no reason.
  private(set) var reason: String?

  /// The number of bytes at the beginning that determine UTF-16.
  private static let head = 4_096

  /// For the bytes beyond ASCII.
  private var hasSequences = false
  private var firstInvalid: (offset: Int64, byte: UInt8)?
  private var hasWindowsBytes = false

  /// Surveys a whole file.
  ///
  /// A byte order mark decides; else zeros in every second place; else the file is UTF-8 where all of it is, or where it
  /// has any character of more than one byte. A file without one whose other bytes are not UTF-8 is Latin-1, or
  /// windows-1252 where it has bytes that Latin-1 has no printed characters for.
  init(_ source: ByteSource) throws(StorageError) {
    var chunk = [UInt8](repeating: 0, count: max(Self.head, source.chunkSize))
    var kept = 0
    var offset: Int64 = 0
    while true {
      let before = kept
      let count = try chunk.withMutableBytes { (bytes) throws(StorageError) in
        try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[before...]))
      }
      let end = kept + count
      if offset == 0, before == 0, decide(chunk[..<end]) { return }
      let used = chunk.withUnsafeBytes { look($0.baseAddress, end, offset, isAtEnd: count == 0) }
      kept = end - used
      for place in 0..<kept { chunk[place] = chunk[used + place] }
      offset += Int64(used)
      if count == 0 { break }
    }
    guard let firstInvalid, !hasSequences else { return }
    encoding = hasWindowsBytes ? .windows1252 : .latin1
    let byte = String(firstInvalid.byte, radix: 16, uppercase: true)
    reason =
      "the encoding is \(encoding.rawValue): byte \(firstInvalid.offset + 1), 0x\(byte), is not UTF-8, and nothing in the "
      + "file is but ASCII (--encoding says otherwise)"
  }

  /// Surveys the beginning of the file.
  ///
  /// - Returns: Whether it determines the encoding.
  private mutating func decide(_ start: ArraySlice<UInt8>) -> Bool {
    for candidate in TextEncoding.allCases where !candidate.mark.isEmpty && start.starts(with: candidate.mark) {
      encoding = candidate
      if candidate != .utf8 {
        reason = "the encoding is \(candidate.rawValue): the file begins with its byte order mark"
      }
      return true
    }
    // Text of mostly ASCII has a zero in every second byte.
    let head = start.prefix(Self.head)
    var zeros = (even: 0, odd: 0)
    for (place, byte) in head.enumerated() where byte == 0 {
      if place % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
    }
    // Some characters have a zero in the other place.
    let (few, many) = (min(zeros.even, zeros.odd), max(zeros.even, zeros.odd))
    guard head.count >= 4, many * 5 >= head.count, few * 4 <= many else { return false }
    encoding = zeros.odd > zeros.even ? .utf16LittleEndian : .utf16BigEndian
    reason = "the encoding is \(encoding.rawValue): every second byte is mostly zero (--encoding says otherwise)"
    return true
  }

  /// - Returns: The number of bytes surveyed: all but the beginning of an incomplete character.
  private mutating func look(_ base: UnsafeRawPointer?, _ count: Int, _ offset: Int64, isAtEnd: Bool) -> Int {
    guard let base else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: base, count: count)
    var place = 0
    while place < count {
      if place &+ 8 <= count, base.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
        place &+= 8
        continue
      }
      let byte = bytes[place]
      if byte < 0x80 {
        place &+= 1
        continue
      }
      let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      if place + length > count, !isAtEnd { return place }
      let end = min(place + length, count)
      if byte >= 0xC2, UnsafeRawBufferPointer(rebasing: bytes[place..<end]).firstInvalidUTF8 == nil {
        hasSequences = true
        place = end
      } else {
        if firstInvalid == nil { firstInvalid = (offset + Int64(place), byte) }
        if byte < 0xA0 { hasWindowsBytes = true }
        place &+= 1
      }
    }
    return place
  }
}
