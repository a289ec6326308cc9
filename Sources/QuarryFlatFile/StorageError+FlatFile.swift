import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The number of the system's error underneath a ``StorageError``.
public struct FlatFileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
  public let number: Int32

  public var description: String { String(cString: strerror(number)) }
}

extension StorageError {
  init(systemError number: Int32, _ what: String) {
    let code: Code =
      switch number {
      case ENOENT, ENOTDIR: .notFound
      case ENOSPC, EDQUOT, EFBIG: .full
      case EROFS: .readOnly
      case ENAMETOOLONG: .limitExceeded
      default: .io
      }
    let cause = FlatFileSystemError(number: number)
    self.init(code, "\(what): \(cause)", cause: cause)
  }

  /// Damage at a place in the file.
  static func damaged(_ path: String, at offset: Int, _ what: String) -> StorageError {
    StorageError(.corrupt, "\(path) is damaged at byte \(offset): \(what)")
  }
}
