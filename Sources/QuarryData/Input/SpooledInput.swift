import Foundation
public import QuarryBackend
import QuarrySystem

/// Bytes kept in a file without a name so that they can be read more than once: for the types of columns and for the rows.
///
/// Only the user can read the file, and it goes with the value or the process.
public final class SpooledInput: Sendable {
  /// Its name in messages.
  package let name: String

  /// The file, open for reading and writing. It is closed with the value.
  package let descriptor: Int32

  /// Reads a descriptor to its end. It stays open.
  ///
  /// - Throws: `full`, `io`.
  /// - Parameter input: The descriptor; standard input by default.
  public convenience init(reading input: Int32 = 0) throws(StorageError) {
    try self.init(named: "standard input")
    try copy(input)
  }

  /// An empty file, which ``append(_:)`` fills.
  ///
  /// - Throws: `full`, `io`.
  package init(named name: String) throws(StorageError) {
    self.name = name
    Descriptor.occupyStandardNumbers()
    descriptor = NamelessFile.open("quarry-input")
    guard descriptor >= 0 else { throw ByteSource.failure("cannot keep", name, errno) }
  }

  deinit {
    close(descriptor)
  }

  private func copy(_ input: Int32) throws(StorageError) {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
      if count == 0 { return }
      if count < 0 {
        if errno == EINTR { continue }
        throw ByteSource.failure("cannot read", name, errno)
      }
      try append(chunk[..<count])
    }
  }

  /// Adds bytes at the end.
  ///
  /// - Throws: `full`, `io`.
  package func append(_ bytes: ArraySlice<UInt8>) throws(StorageError) {
    var rest = bytes
    while !rest.isEmpty {
      let step = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if step < 0 {
        if errno == EINTR { continue }
        throw ByteSource.failure("cannot keep", name, errno)
      }
      rest = rest.dropFirst(step)
    }
  }
}
