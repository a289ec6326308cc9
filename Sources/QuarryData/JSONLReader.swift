import QuarryBackend

/// Reads JSON Lines: one object on each line, in memory bounded by the longest line. Blank lines are skipped.
struct JSONLReader {
  static let lineLimit = 1 << 28

  /// The members of the current line's object.
  private(set) var members: [JSONValue.Member] = []
  /// The number of the current line, from 1.
  private(set) var line = 0
  var bytesRead: Int64 { source.bytesRead }

  private let source: ByteSource
  private var chunk: [UInt8] = []
  private var position = 0
  private var text: [UInt8] = []

  init(_ source: ByteSource) {
    self.source = source
  }

  /// Moves to the next object and says whether there is one.
  ///
  /// - Throws: `invalidValue` with the line for what is not a JSON object; `limitExceeded`; `io`.
  mutating func next() throws(StorageError) -> Bool {
    while try readLine() {
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

  private mutating func readLine() throws(StorageError) -> Bool {
    text.removeAll(keepingCapacity: true)
    line += 1
    while true {
      if position >= chunk.count {
        try source.read(into: &chunk)
        position = 0
        if chunk.isEmpty {
          dropByteOrderMark()
          return !text.isEmpty
        }
      }
      let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n"))
      text.append(contentsOf: chunk[position..<(end ?? chunk.count)])
      position = end.map { $0 + 1 } ?? chunk.count
      if text.count > Self.lineLimit {
        throw .limitExceeded("line \(line), in bytes", limit: Self.lineLimit, actual: text.count)
      }
      if end != nil {
        dropByteOrderMark()
        return true
      }
    }
  }

  private mutating func dropByteOrderMark() {
    if line == 1, text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
  }
}
