package import QuarryBackend

/// Reads a file line by line, in memory bounded by the longest line.
package struct LineReader {
  package static let limit = 1 << 28

  /// The bytes of the current line, without the line feed at its end.
  package private(set) var text: [UInt8] = []
  /// Whether a line feed ends the current line, as it ends every line but perhaps the last.
  package private(set) var isEnded = false
  /// The number of the current line, from 1.
  package private(set) var line = 0
  package var bytesRead: Int64 { source.bytesRead }

  private let source: ByteSource
  private var chunk: [UInt8] = []
  private var position = 0

  package init(_ source: ByteSource) {
    self.source = source
  }

  /// Moves to the next line and says whether there is one.
  ///
  /// - Throws: `limitExceeded` for a line that is too long; `io`.
  package mutating func next() throws(StorageError) -> Bool {
    text.removeAll(keepingCapacity: true)
    line += 1
    while true {
      if position >= chunk.count {
        try source.read(into: &chunk)
        position = 0
        if chunk.isEmpty {
          isEnded = false
          return !text.isEmpty
        }
      }
      let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n"))
      text.append(contentsOf: chunk[position..<(end ?? chunk.count)])
      position = end.map { $0 + 1 } ?? chunk.count
      if text.count > Self.limit {
        throw .limitExceeded("line \(line), in bytes", limit: Self.limit, actual: text.count)
      }
      if end != nil {
        isEnded = true
        return true
      }
    }
  }
}
