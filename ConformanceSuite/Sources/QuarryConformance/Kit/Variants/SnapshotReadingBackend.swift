import QuarryBackend

/// Reads everything through a snapshot of the newest state.
final class SnapshotReadingBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let snapshot = try inner.snapshot()
    do throws(StorageError) {
      return SnapshotReadTransaction(try snapshot.beginRead(), snapshot)
    } catch {
      snapshot.close()
      throw error
    }
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

/// A read transaction that closes its snapshot when it ends.
private final class SnapshotReadTransaction: ForwardingReadTransaction {
  private let snapshot: any BackendSnapshot

  init(_ inner: any BackendReadTransaction, _ snapshot: any BackendSnapshot) {
    self.snapshot = snapshot
    super.init(inner)
  }

  override func end() {
    inner.end()
    snapshot.close()
  }
}
