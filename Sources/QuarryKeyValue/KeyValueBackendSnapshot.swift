public import QuarryBackend

/// A pinned state of an engine.
public final class KeyValueBackendSnapshot<Snapshot: KeyValueSnapshot>: BackendSnapshot {
  private let snapshot: Snapshot
  private let store: StoreState

  init(_ snapshot: Snapshot, _ store: StoreState) {
    self.snapshot = snapshot
    self.store = store
  }

  deinit {
    snapshot.close()
  }

  public var version: CommitVersion { snapshot.version }

  public func beginRead() throws(StorageError) -> any BackendReadTransaction {
    guard !store.isClosed else { throw StorageError(.closed, "the store was closed") }
    return KeyValueBackendReadTransaction(try snapshot.beginRead(), store)
  }

  public func close() {
    snapshot.close()
  }
}
