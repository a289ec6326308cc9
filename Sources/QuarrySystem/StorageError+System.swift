package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StorageError {
  /// A call of the system that failed, with the system's error as the cause.
  ///
  /// - Parameter what: What could not be done; the system's reason is added.
  package init(systemError number: Int32, _ what: String) {
    let code: Code =
      switch number {
      case ENOENT, ENOTDIR: .notFound
      case ENOSPC, EDQUOT, EFBIG: .full
      case EROFS: .readOnly
      case ENAMETOOLONG: .limitExceeded
      default: .io
      }
    let cause = SystemError(number)
    self.init(code, "\(what): \(cause)", cause: cause)
  }
}
