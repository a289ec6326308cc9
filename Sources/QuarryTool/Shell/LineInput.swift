import Foundation
import QuarryBackend

/// Lines of standard input, of a bounded length.
final class LineInput {
  static let longestLine = 1 << 20
  private var buffer: [UInt8] = []
  private var start = 0
  private var hasEnded = false

  /// The next line without its end; nil at the end of the input.
  ///
  /// - Throws: `limitExceeded` for a line that is too long; `io`.
  func next() throws(StorageError) -> String? {
    var scanned = start
    while true {
      if let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[start..<end]
        start = end + 1
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      }
      scanned = buffer.count
      guard scanned - start <= Self.longestLine else {
        throw .limitExceeded("bytes of a line", limit: Self.longestLine, actual: scanned - start)
      }
      guard !hasEnded else {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return String(decoding: buffer[start...], as: UTF8.self)
      }
      buffer.removeSubrange(..<start)
      scanned -= start
      start = 0
      try fill()
    }
  }

  private func fill() throws(StorageError) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw StorageError(.io, "standard input cannot be read: \(String(cString: strerror(errno)))")
      }
      hasEnded = count == 0
      buffer.append(contentsOf: chunk[..<count])
      return
    }
  }
}
