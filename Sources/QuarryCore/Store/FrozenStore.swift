public import QuarryBackend

/// One committed state of a store, pinned: many threads may read it for as long as it is open.
///
/// An old state costs space: what was written over since is kept until it is closed. Close it when it is no longer
/// needed; it closes itself when nothing refers to it any more.
public final class FrozenStore: Sendable {
  let store: Store
  let snapshot: any BackendSnapshot

  init(_ store: Store, _ snapshot: any BackendSnapshot) {
    self.store = store
    self.snapshot = snapshot
  }

  deinit {
    snapshot.close()
  }

  /// The place of the state in the order of commits.
  public var version: CommitVersion { snapshot.version }

  /// Releases the state. Reads throw `closed` from then on. A second call does nothing.
  public func close() {
    snapshot.close()
  }
}

extension Store {
  /// Pins the newest committed state.
  ///
  /// - Throws: `reentrant` inside a write of this store, whose changes are not committed; `limitExceeded` when the
  ///   engine has no more snapshots; `closed`.
  public func freeze() throws -> FrozenStore {
    try checkOpen()
    if try TransactionFrame.transaction(of: identity) is WriteTransaction {
      throw StorageError(.reentrant, "a store cannot be frozen inside a write, whose changes are not committed yet")
    }
    try backend.manifest.require(.snapshots)
    return FrozenStore(self, try repeating { () throws(StorageError) in try backend.snapshot() })
  }
}
