#if PostgreSQL
  /// Text as the server can hold it: it knows no NUL.
  ///
  /// The scalars 0 to 3 become three bytes each, which begin with 01. The bytes 02 and 03 never stand alone, so that equality, order
  /// and what a text begins with, ends with and contains are the same of escaped texts. Nearly every text is stored as it is.
  enum PostgreSQLText {
    /// The three bytes of the scalars 0 to 3.
    private static let escapes: [[UInt8]] = [[1, 2, 2], [1, 2, 3], [1, 3, 2], [1, 3, 3]]

    /// Appends a text.
    static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
      guard text.contains(where: { $0 < 4 }) else {
        bytes.append(contentsOf: text)
        return
      }
      for byte in text {
        if byte < 4 { bytes.append(contentsOf: escapes[Int(byte)]) } else { bytes.append(byte) }
      }
    }

    /// A text as it is stored.
    static func escaped(_ text: [UInt8]) -> [UInt8] {
      guard text.contains(where: { $0 < 4 }) else { return text }
      return text.flatMap { $0 < 4 ? escapes[Int($0)] : [$0] }
    }

    /// Whether stored bytes are not the text itself.
    static func isEscaped(_ stored: UnsafeRawBufferPointer) -> Bool { stored.contains { $0 < 4 } }

    /// The text of stored bytes; nil when they are none that ``append(_:to:)`` writes.
    static func unescaped(_ stored: UnsafeRawBufferPointer) -> [UInt8]? {
      var text: [UInt8] = []
      text.reserveCapacity(stored.count)
      var place = 0
      while place < stored.count {
        let byte = stored[place]
        guard byte < 4 else {
          text.append(byte)
          place += 1
          continue
        }
        guard byte == 1, place + 2 < stored.count else { return nil }
        let (high, low) = (stored[place + 1], stored[place + 2])
        guard high == 2 || high == 3, low == 2 || low == 3 else { return nil }
        text.append((high - 2) * 2 + (low - 2))
        place += 3
      }
      return text
    }
  }
#endif
