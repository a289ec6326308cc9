import QuarryBackend

/// Does the work of every write transaction in a savepoint.
final class SavepointBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let transaction = try base.beginWrite(options)
    do throws(StorageError) {
      try transaction.savepoint()
    } catch {
      transaction.rollback()
      throw error
    }
    return WriterLayer(transaction, SavepointHooks())
  }
}

private struct SavepointHooks: TransactionHooks {
  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    do throws(StorageError) {
      try base.releaseSavepoint()
    } catch {
      base.rollback()
      throw error
    }
    return try base.commit()
  }
}
