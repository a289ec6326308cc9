import QuarryBackend

/// Reads everything through a write transaction that is rolled back; where a writer is open, or none can be, as usual.
final class WriterReadingBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    do throws(StorageError) {
      return WriterReadTransaction(try inner.beginWrite(WriteOptions(timeout: 0)))
    } catch {
      guard error.code == .busy || error.code == .readOnly else { throw error }
    }
    return try inner.beginRead()
  }

  override func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let transaction = try beginRead()
    defer { transaction.end() }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }
}

/// Hides that the transaction could write.
private final class WriterReadTransaction: ForwardingReadTransaction {}
