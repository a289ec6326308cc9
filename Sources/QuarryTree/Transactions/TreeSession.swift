package import QuarryBackend
package import QuarryKeyValue
import Synchronization

/// One opening of a store whose trees are in memory: what its transactions ask whether it was closed, and the reading
/// half of an engine.
package final class TreeSession: Sendable {
  private let store: TreeStore
  private let closed = Atomic(false)

  package init(_ store: TreeStore) {
    self.store = store
  }

  /// One read of memory, done by every call of the transactions.
  @inline(__always) package var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// - Throws: `closed`.
  @inline(__always)
  package func requireOpen() throws(StorageError) {
    if isClosed { throw .storeClosed }
  }

  /// - Returns: Whether it was closed before.
  package func close() -> Bool { closed.exchange(true, ordering: .acquiringAndReleasing) }

  package func beginRead() throws(StorageError) -> TreeReadTransaction {
    try requireOpen()
    return TreeReadTransaction(self, store.state, snapshot: nil)
  }

  /// Holds the state while the body reads from it; no transaction is made. Says first which state it is.
  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try requireOpen()
    let state = store.state
    version = state.version
    defer { withExtendedLifetime(state) {} }
    guard let value = state.trees.get(tree, key) else { return false }
    try body(value)
    return true
  }

  package func snapshot() throws(StorageError) -> TreeSnapshot {
    try requireOpen()
    return TreeSnapshot(self, store.state)
  }

  /// Waits for the writer's turn.
  ///
  /// - Throws: `closed`; `busy` after the given number of seconds.
  package func enter(timeout: Double) throws(StorageError) {
    try requireOpen()
    if !store.enter(timeout: timeout) {
      throw .busy(timeout)
    }
    if isClosed {
      store.leave()
      throw .storeClosed
    }
  }
}
