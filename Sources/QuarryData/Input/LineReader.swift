#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
package import QuarryBackend

/// Reads a file line by line, in memory bounded by the longest line.
package struct LineReader {
  package static let limit = 1 << 28

  /// Whether a line feed ends the current line, as it ends every line but perhaps the last.
  package private(set) var isEnded = false
  /// The number of the current line, from 1.
  package private(set) var line = 0
  package var bytesRead: Int64 { buffer.source.bytesRead }

  private let buffer: TextBuffer
  private var range = 0..<0

  /// Reads the lines of UTF-8 as they are, with a byte order mark where there is one.
  package init(_ source: ByteSource) {
    buffer = TextBuffer(TextDecoder(source, .utf8, skipsMark: false))
  }

  init(_ source: ByteSource, _ encoding: TextEncoding) {
    buffer = TextBuffer(TextDecoder(source, encoding))
  }

  /// The bytes of the current line, without the line feed at its end; valid until the next call of ``next()``.
  package var text: UnsafeRawBufferPointer { buffer.bytes(range) }

  /// The same with the line feed that ends it, where one does.
  package var textAndEnd: UnsafeRawBufferPointer {
    buffer.bytes(range.lowerBound..<(range.upperBound + (isEnded ? 1 : 0)))
  }

  /// Moves to the next line and returns whether there is one.
  ///
  /// - Throws: `limitExceeded` for a line that is too long; `io`.
  package mutating func next() throws(StorageError) -> Bool {
    line += 1
    var searched = 0
    while true {
      let from = buffer.start + searched
      if let found = memchr(buffer.base + from, 0x0A, buffer.end - from) {
        let end = UnsafeRawPointer(found) - UnsafeRawPointer(buffer.base)
        return try take(end, isEnded: true)
      }
      searched = buffer.count
      try check(searched)
      if try !buffer.more() {
        guard buffer.count > 0 else {
          range = 0..<0
          isEnded = false
          return false
        }
        return try take(buffer.end, isEnded: false)
      }
    }
  }

  private func check(_ bytes: Int) throws(StorageError) {
    if bytes > Self.limit { throw .limitExceeded("line \(line), in bytes", limit: Self.limit, actual: bytes) }
  }

  private mutating func take(_ end: Int, isEnded: Bool) throws(StorageError) -> Bool {
    range = buffer.start..<end
    try check(range.count)
    self.isEnded = isEnded
    buffer.start = isEnded ? end + 1 : end
    return true
  }
}
