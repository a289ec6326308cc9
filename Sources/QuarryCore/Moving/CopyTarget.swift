import QuarryBackend

/// The destination of a copy. Between the transactions of the copy no other program may commit there: a second copy to the
/// same place, or a program that had the place open before.
final class CopyTarget {
  let backend: any Backend
  private let pipeline: CommitPipeline
  /// The state after the last transaction of the copy.
  private var version: CommitVersion?

  init(_ backend: any Backend) {
    self.backend = backend
    pipeline = CommitPipeline(backend, search: .never)
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

  /// Begins the next transaction of the copy, which ``commit(_:)`` or ``rollback(_:)`` ends.
  ///
  /// - Throws: `inUse` when another program has committed since the last one.
  func beginWrite() throws(StorageError) -> CommitPipeline.OpenWrite {
    let write = try plainly { try pipeline.begin(WriteOptions(isSchemaChange: true)) }
    do throws(StorageError) {
      try requireAlone(write.transaction)
    } catch {
      pipeline.rollback(write)
      throw error
    }
    return write
  }

  func commit(_ write: CommitPipeline.OpenWrite) throws(StorageError) {
    version = try plainly { try pipeline.commit(write) }
  }

  /// Undoes what was written, unless the transaction is over.
  func rollback(_ write: CommitPipeline.OpenWrite) { pipeline.rollback(write) }

  /// Commits what the body writes, or nothing when it throws.
  func write(_ body: (any BackendWriteTransaction) throws(StorageError) -> Void) throws(StorageError) {
    let write = try beginWrite()
    do throws(StorageError) {
      try body(write.transaction)
    } catch {
      pipeline.rollback(write)
      throw error
    }
    try commit(write)
  }

  /// A copy is not begun again when it conflicts: another program has written to its destination.
  private func plainly<R>(_ body: () throws -> R) throws(StorageError) -> R {
    do {
      return try body()
    } catch {
      throw error is CommitConflict ? Self.overtaken : .of(error)
    }
  }

  private func requireAlone(_ transaction: any BackendReadTransaction) throws(StorageError) {
    let found = try transaction.version()
    guard let version else {
      self.version = found
      return
    }
    if found != version { throw Self.overtaken }
  }

  private static var overtaken: StorageError {
    StorageError(
      .inUse, "another program wrote to the destination during the copy: the copy stopped and left it as it is")
  }
}
