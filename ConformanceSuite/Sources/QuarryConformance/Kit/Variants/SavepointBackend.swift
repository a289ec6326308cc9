import QuarryBackend

/// Does the work of every write transaction in a savepoint.
final class SavepointBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let transaction = try inner.beginWrite(options)
    do throws(StorageError) {
      try transaction.savepoint()
    } catch {
      transaction.rollback()
      throw error
    }
    return SavepointTransaction(writer: transaction)
  }
}

private final class SavepointTransaction: ForwardingWriteTransaction {
  override func commit() throws(StorageError) -> CommitResult {
    do throws(StorageError) {
      try writer.releaseSavepoint()
    } catch {
      writer.rollback()
      throw error
    }
    return try writer.commit()
  }
}
