package import QuarryBackend

extension StorageError {
  /// A call of the system that failed, with the system's error as the cause.
  ///
  /// - Parameter what: What could not be done; the system's reason is added.
  package init(systemError number: Int32, _ what: String) {
    let cause = SystemError(number)
    self.init(Code(errno: number), "\(what): \(cause)", cause: cause)
  }
}
