package import QuarryBackend
import QuarryKeyValue
import Synchronization

/// A pinned state: a kept set of roots.
package final class TreeSnapshot: KeyValueSnapshot {
  package let version: CommitVersion
  private let session: TreeSession
  private let state: Mutex<TreeState?>
  private let closed = Atomic(false)

  init(_ session: TreeSession, _ state: TreeState) {
    self.session = session
    version = state.version
    self.state = Mutex(state)
  }

  @inline(__always) var isClosed: Bool { closed.load(ordering: .acquiring) }

  package func beginRead() throws(StorageError) -> TreeReadTransaction {
    try session.requireOpen()
    guard let state = state.withLock({ $0 }) else { throw .snapshotClosed }
    return TreeReadTransaction(session, state, snapshot: self)
  }

  package func close() {
    closed.store(true, ordering: .releasing)
    let last = state.withLock { state in
      let last = state
      state = nil
      return last
    }
    withExtendedLifetime(last) {}
  }
}
