import Foundation
package import QuarryBackend

/// A regular file that is read in chunks from begin to end.
package final class ByteSource {
  package let path: String
  /// The file's size when it was opened, for progress.
  package let size: Int64
  package private(set) var bytesRead: Int64 = 0
  private let descriptor: Int32
  private let chunkSize: Int

  /// Opens a file.
  ///
  /// - Throws: `notFound`; `io` for what cannot be read, such as a directory; `unsupported` for a pipe or a device,
  ///   because an import reads its file twice.
  package init(path: String, chunkSize: Int = 1 << 18) throws(StorageError) {
    self.path = path
    self.chunkSize = max(chunkSize, 1)
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("cannot open", path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.failure("cannot open", path, code)
    }
    size = Int64(status.st_size)
    // From here on `deinit` closes it, also where this throws: closed twice, it may be somebody else's the second time.
    guard status.st_mode & S_IFMT == S_IFREG else {
      if status.st_mode & S_IFMT == S_IFDIR { throw StorageError(.io, "\(path) is a directory") }
      throw StorageError(.unsupported, "\(path) is not a regular file; an import reads its file twice")
    }
  }

  deinit {
    close(descriptor)
  }

  /// Replaces the chunk's content by the next bytes; it is empty at the end of the file.
  func read(into chunk: inout [UInt8]) throws(StorageError) {
    // Of a small file a small chunk is enough. The file may have become longer.
    let wanted = Int(min(Int64(chunkSize), max(0, size - bytesRead) + 4_096))
    if chunk.count != wanted { chunk = [UInt8](repeating: 0, count: wanted) }
    while true {
      let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure("cannot read", path, errno)
      }
      bytesRead += Int64(count)
      if count < chunk.count { chunk.removeLast(chunk.count - count) }
      return
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
