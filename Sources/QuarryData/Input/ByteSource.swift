import Foundation
package import QuarryBackend
import QuarrySystem

/// A regular file that is read in chunks from begin to end.
package final class ByteSource {
  package let path: String
  /// The file's size when it was opened, for progress.
  package let size: Int64
  package private(set) var bytesRead: Int64 = 0
  /// About how many bytes are read at once.
  let chunkSize: Int
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Throws: `notFound`; `io` for what cannot be read, such as a directory; `unsupported` for a pipe or a device,
  ///   because an import reads its file twice.
  package convenience init(path: String, chunkSize: Int = 1 << 18) throws(StorageError) {
    let descriptor = Descriptor.open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("cannot open", path, errno) }
    try self.init(descriptor, path, chunkSize)
  }

  /// Reads kept bytes from their beginning.
  package convenience init(_ input: SpooledInput, chunkSize: Int = 1 << 18) throws(StorageError) {
    let descriptor = fcntl(input.descriptor, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw Self.failure("cannot read", input.name, errno) }
    try self.init(descriptor, input.name, chunkSize)
  }

  /// - Parameter descriptor: Closed with the source, also where this throws.
  private init(_ descriptor: Int32, _ path: String, _ chunkSize: Int) throws(StorageError) {
    self.path = path
    self.chunkSize = max(chunkSize, 1)
    self.descriptor = descriptor
    var status = stat()
    let result = fstat(descriptor, &status)
    let number = errno
    size = result == 0 ? Int64(status.st_size) : 0
    // From here on `deinit` closes it, also if this throws: a second close could hit a descriptor that other code has opened.
    guard result == 0 else { throw Self.failure("cannot open", path, number) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      if status.st_mode & S_IFMT == S_IFDIR { throw StorageError(.io, "\(path) is a directory") }
      throw StorageError(.unsupported, "\(path) is not a regular file, which is read more than once")
    }
  }

  deinit {
    close(descriptor)
  }

  /// Reads the next bytes into memory.
  ///
  /// - Returns: The number of bytes; 0 at the end of the file.
  package func read(into memory: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    while true {
      // The place is the source's own: several may read one descriptor.
      let count = pread(descriptor, memory.baseAddress, memory.count, off_t(bytesRead))
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure("cannot read", path, errno)
      }
      bytesRead += Int64(count)
      return count
    }
  }

  package static func failure(_ action: String, _ path: String, _ number: Int32) -> StorageError {
    let code: StorageError.Code =
      switch number {
      case ENOENT: .notFound
      case ENOSPC, EDQUOT: .full
      default: .io
      }
    return StorageError(code, "\(action) \(path): \(String(cString: strerror(number)))")
  }
}
