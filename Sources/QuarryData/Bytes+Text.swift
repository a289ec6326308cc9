import QuarryBackend

extension Collection<UInt8> {
  /// The place where the bytes stop being UTF-8, nil where all of them are.
  var firstInvalidUTF8: Index? {
    var index = startIndex
    while index != endIndex {
      let first = self[index]
      guard first >= 0x80 else {
        formIndex(after: &index)
        continue
      }
      // The second byte's range depends on the first, so that over-long forms and surrogates are refused.
      let count: Int
      var range: ClosedRange<UInt8> = 0x80...0xBF
      switch first {
      case 0xC2...0xDF: count = 1
      case 0xE0: (count, range) = (2, 0xA0...0xBF)
      case 0xED: (count, range) = (2, 0x80...0x9F)
      case 0xE1...0xEF: count = 2
      case 0xF0: (count, range) = (3, 0x90...0xBF)
      case 0xF1...0xF3: count = 3
      case 0xF4: (count, range) = (3, 0x80...0x8F)
      default: return index
      }
      var next = self.index(after: index)
      for _ in 0..<count {
        guard next != endIndex, range.contains(self[next]) else { return index }
        range = 0x80...0xBF
        formIndex(after: &next)
      }
      index = next
    }
    return nil
  }

  /// Whether all of the bytes are UTF-8.
  package var isUTF8: Bool { firstInvalidUTF8 == nil }

  /// The number of line ends: LF, CRLF or CR.
  var lineEnds: Int {
    var count = 0
    var isAfterReturn = false
    for byte in self {
      if byte == UInt8(ascii: "\r") || (byte == UInt8(ascii: "\n") && !isAfterReturn) { count += 1 }
      isAfterReturn = byte == UInt8(ascii: "\r")
    }
    return count
  }
}

extension String {
  /// The string with the letters A to Z in lower case, and nothing else changed.
  package var loweredASCII: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// The string as it can be shown on one line of a terminal: control characters and characters that change the
  /// direction of text are written as escapes.
  package var escapedForDisplay: String {
    guard unicodeScalars.contains(where: \.isEscapedForDisplay) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0": result += "\\0"
      case _ where scalar.isEscapedForDisplay:
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The beginning of the text in quotes, for messages.
  package var excerpt: String {
    let limit = 40
    let text = unicodeScalars.count > limit ? String(unicodeScalars.prefix(limit)) + "…" : self
    return "\"" + text.escapedForDisplay + "\""
  }
}

extension Unicode.Scalar {
  var isEscapedForDisplay: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Line and paragraph separators; marks, embeddings, overrides and isolates of direction.
    case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
    default: false
    }
  }
}
