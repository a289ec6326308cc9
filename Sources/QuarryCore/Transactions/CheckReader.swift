import QuarryBackend

/// The read transaction of a check, which continues after damage.
final class CheckReader {
  private let backend: any Backend
  private(set) var transaction: any BackendReadTransaction

  init(_ backend: any Backend) throws(StorageError) {
    self.backend = backend
    transaction = try backend.beginRead()
  }

  /// Begins a new transaction where an error has left the old one useless. The next part of the check then sees the newest state.
  func goOn() throws(StorageError) {
    guard transaction.failure != nil else { return }
    transaction.end()
    transaction = try backend.beginRead()
  }

  func end() { transaction.end() }
}
