package import QuarryBackend
import Synchronization

/// Whether a snapshot was closed, which its transactions ask before what needs no call of the engine.
final class SnapshotState: Sendable {
  private let closed = Atomic(false)

  @inline(__always) var isClosed: Bool { closed.load(ordering: .acquiring) }

  func close() {
    closed.store(true, ordering: .releasing)
  }
}

/// A pinned state of an engine.
package final class KeyValueBackendSnapshot<Snapshot: KeyValueSnapshot>: BackendSnapshot {
  private let snapshot: Snapshot
  private let store: StoreState
  private let state = SnapshotState()

  init(_ snapshot: Snapshot, _ store: StoreState) {
    self.snapshot = snapshot
    self.store = store
  }

  deinit {
    snapshot.close()
  }

  package var version: CommitVersion { snapshot.version }

  package func beginRead() throws(StorageError) -> any BackendReadTransaction {
    guard !store.isClosed else { throw .storeClosed }
    return KeyValueBackendReader(try snapshot.beginRead(), store, snapshot: state)
  }

  package func close() {
    state.close()
    snapshot.close()
  }
}
