import QuarryBackend

/// Reads JSON Lines: one object on each line, in memory bounded by the longest line. Blank lines are skipped.
struct JSONLReader {
  /// The members of the current line's object.
  private(set) var members: [JSONValue.Member] = []
  /// The number of the current line, from 1.
  var line: Int { lines.line }
  var bytesRead: Int64 { lines.bytesRead }

  private var lines: LineReader

  init(_ source: ByteSource) {
    lines = LineReader(source)
  }

  /// Moves to the next object and says whether there is one.
  ///
  /// - Throws: `invalidValue` with the line for what is not a JSON object; `limitExceeded`; `io`.
  mutating func next() throws(StorageError) -> Bool {
    while try lines.next() {
      var text = lines.text
      if line == 1, text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      let value = try JSONParser.parse(text, line: line)
      guard case .object(let members) = value else {
        throw StorageError(.invalidValue, "line \(line): \(value.kind) where an object is expected")
      }
      self.members = members
      return true
    }
    return false
  }
}
