import QuarryBackend

/// Reads everything through a write transaction that is rolled back; where a writer is open, or none can be, as usual.
final class WriterReadingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override var readsRowsInTransactions: Bool { true }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    do throws(StorageError) {
      // The layer over a reader hides that the transaction could write.
      return ReaderLayer(try base.beginWrite(WriteOptions(timeout: 0)), NoHooks())
    } catch {
      guard error.code == .busy || error.code == .readOnly else { throw error }
    }
    return try base.beginRead()
  }
}

private struct NoHooks: TransactionHooks {}
