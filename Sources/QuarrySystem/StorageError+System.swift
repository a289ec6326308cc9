package import QuarryBackend

extension StorageError {
  /// A store that is to get another name, and is named by a link.
  package static func isLink(_ path: String) -> StorageError {
    StorageError(.unsupported, "\(path) is a link: what it names cannot be put aside by that name")
  }

  /// A call of the system that failed, with the system's error as the cause.
  ///
  /// - Parameter what: What could not be done; the system's reason is added.
  package init(systemError number: Int32, _ what: String) {
    let cause = SystemError(number)
    self.init(Code(errno: number), "\(what): \(cause)", cause: cause)
  }
}
