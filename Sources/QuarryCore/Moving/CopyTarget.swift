import QuarryBackend

/// The destination of a copy. Between the transactions of the copy no other program may commit there: a second copy to the
/// same place, or a program that had the place open before.
final class CopyTarget {
  let backend: any Backend
  /// The state after the last transaction of the copy.
  private var version: CommitVersion?

  init(_ backend: any Backend) {
    self.backend = backend
  }

  /// Begins to read what the copy has stored.
  ///
  /// - Throws: `inUse` when another program has committed since.
  func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let transaction = try backend.beginRead()
    do throws(StorageError) {
      try requireAlone(transaction)
    } catch {
      transaction.end()
      throw error
    }
    return transaction
  }

  /// Begins the next transaction of the copy.
  ///
  /// - Throws: `inUse` when another program has committed since the last one.
  func beginWrite() throws(StorageError) -> any BackendWriteTransaction {
    let transaction = try backend.beginWrite(WriteOptions())
    do throws(StorageError) {
      try requireAlone(transaction)
    } catch {
      transaction.rollback()
      throw error
    }
    return transaction
  }

  func commit(_ transaction: any BackendWriteTransaction) throws(StorageError) {
    version = try transaction.commit().version
  }

  /// Commits what the body writes, or nothing when it throws.
  func write(_ body: (any BackendWriteTransaction) throws(StorageError) -> Void) throws(StorageError) {
    let transaction = try beginWrite()
    do throws(StorageError) {
      try body(transaction)
    } catch {
      transaction.rollback()
      throw error
    }
    try commit(transaction)
  }

  private func requireAlone(_ transaction: any BackendReadTransaction) throws(StorageError) {
    let found = try transaction.version()
    guard let version else {
      version = found
      return
    }
    if found != version {
      throw StorageError(
        .inUse, "another program wrote to the destination while it was copied to: this copy ends, and left it as it is")
    }
  }
}
