#if PostgreSQL
  /// Text as the server can hold it: it knows no NUL.
  ///
  /// The scalars 0 to 3 become three bytes each, which begin with 01. The bytes 02 and 03 never stand alone, so that equality,
  /// order and what a text begins with, ends with and contains are the same of escaped texts. Nearly every text is stored as it
  /// is.
  enum PostgreSQLText {
    /// Appends a text.
    static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
      guard isEscaped(text) else {
        bytes.append(contentsOf: text)
        return
      }
      var place = 0
      while place < text.count {
        let byte = text[place]
        if byte < 4 {
          bytes.append(1)
          bytes.append(2 + byte >> 1)
          bytes.append(2 + byte & 1)
        } else {
          bytes.append(byte)
        }
        place += 1
      }
    }

    /// A text as it is stored.
    static func escaped(_ text: [UInt8]) -> [UInt8] {
      var bytes: [UInt8] = []
      text.withUnsafeBytes { append($0, to: &bytes) }
      return bytes
    }

    /// Whether stored bytes are not the text itself.
    static func isEscaped(_ stored: UnsafeRawBufferPointer) -> Bool {
      var place = 0
      // Eight bytes at a time: a byte below 4 borrows from its highest bit when 4 is taken from it.
      while place &+ 8 <= stored.count {
        let word = stored.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        if (word &- 0x0404_0404_0404_0404) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
        place &+= 8
      }
      while place < stored.count {
        if stored[place] < 4 { return true }
        place &+= 1
      }
      return false
    }

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
