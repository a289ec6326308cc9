package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StorageError {
  /// A store that is to get another name, and is named by a link.
  package static func isLink(_ path: String) -> StorageError {
    StorageError(.unsupported, "\(path) is a link, and a store cannot be quarantined through a link")
  }

  /// A store that this process may read and not write, and that is opened for writing.
  package static func isUnwritable(_ path: String, cause: (any Error)? = nil) -> StorageError {
    StorageError(.readOnly, "\(path) cannot be written to", cause: cause)
  }

  /// Whether the system has not let this process do what it may not.
  package var isOfMissingRights: Bool {
    guard let number = (cause as? SystemError)?.number else { return false }
    return number == EACCES || number == EPERM
  }

  /// A call of the system that failed, with the system's error as the cause.
  ///
  /// - Parameter what: The operation that failed; the system's reason is added.
  package init(systemError number: Int32, _ what: String) {
    let cause = SystemError(number)
    self.init(Code(errno: number), "\(what): \(cause)", cause: cause)
  }
}
