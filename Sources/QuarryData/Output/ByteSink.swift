import Foundation
import QuarryBackend

/// The reader of the output has closed it: `quarry query … | head`. A tool ends quietly.
package struct BrokenPipe: Error {}

/// Collects bytes and writes them to a file descriptor in large pieces.
package final class ByteSink {
  private let descriptor: Int32?
  private let name: String
  private var buffer: [UInt8] = []
  private static let capacity = 1 << 16

  /// - Parameter descriptor: Stays open; nil keeps everything in ``contents``.
  package init(descriptor: Int32?, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// The written bytes, for a sink without a descriptor.
  package var contents: String { String(decoding: buffer, as: UTF8.self) }

  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if descriptor != nil, buffer.count >= Self.capacity { try flush() }
  }

  package func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if descriptor != nil, buffer.count >= Self.capacity { try flush() }
  }

  /// Writes the collected bytes.
  ///
  /// - Throws: ``BrokenPipe``; `full` or `io` as a `StorageError`.
  package func flush() throws {
    guard let descriptor else { return }
    var start = 0
    while start < buffer.count {
      let count = buffer[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        let number = errno
        buffer.removeAll()
        if number == EPIPE { throw BrokenPipe() }
        throw ByteSource.failure("cannot write", name, number)
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
