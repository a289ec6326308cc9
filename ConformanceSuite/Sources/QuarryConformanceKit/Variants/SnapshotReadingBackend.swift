import QuarryBackend

/// Reads everything through a snapshot of the newest state.
final class SnapshotReadingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: no field is added.
  override var readsRowsInTransactions: Bool { true }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let snapshot = try base.snapshot()
    do throws(StorageError) {
      return ReaderLayer(try snapshot.beginRead(), ClosingHooks(snapshot: snapshot))
    } catch {
      snapshot.close()
      throw error
    }
  }
}

/// Closes the snapshot when the transaction ends.
private struct ClosingHooks: TransactionHooks {
  let snapshot: any BackendSnapshot

  func end(_ base: Reader) {
    base.end()
    snapshot.close()
  }
}
