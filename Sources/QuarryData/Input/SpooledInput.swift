import Foundation
public import QuarryBackend
import QuarrySystem

/// Standard input, kept in a file without a name so that it can be read more than once: for its types and for its rows.
///
/// Only the user can read the file, and it goes with the value or the process.
public final class SpooledInput: Sendable {
  /// Its name in messages.
  static let name = "standard input"

  let descriptor: Int32

  /// Reads a descriptor to its end. It stays open.
  ///
  /// - Throws: `full`, `io`.
  /// - Parameter input: The descriptor; standard input by default.
  public init(reading input: Int32 = 0) throws(StorageError) {
    var template = Array((NSTemporaryDirectory() + "quarry-input-XXXXXX").utf8CString)
    Descriptor.occupyStandardNumbers()
    let made = mkstemp(&template)
    guard made >= 0 else { throw ByteSource.failure("cannot keep", Self.name, errno) }
    unlink(template)
    // No file is open under the number of a standard stream.
    descriptor = fcntl(made, F_DUPFD_CLOEXEC, 3)
    let number = errno
    close(made)
    guard descriptor >= 0 else { throw ByteSource.failure("cannot keep", Self.name, number) }
    try copy(input)
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
        throw ByteSource.failure("cannot read", Self.name, errno)
      }
      var written = 0
      while written < count {
        let step = chunk[written..<count].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if step < 0 {
          if errno == EINTR { continue }
          throw ByteSource.failure("cannot keep", Self.name, errno)
        }
        written += step
      }
    }
  }
}
