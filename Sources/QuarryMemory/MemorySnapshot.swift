package import QuarryBackend
import QuarryKeyValue
import Synchronization

/// A pinned state of a memory store: a kept set of roots.
package final class MemorySnapshot: KeyValueSnapshot {
  package let version: CommitVersion
  private let engine: MemoryEngine
  private let state: Mutex<MemoryState?>
  private let closed = Atomic(false)

  init(_ engine: MemoryEngine, _ state: MemoryState) {
    self.engine = engine
    version = state.version
    self.state = Mutex(state)
  }

  @inline(__always) var isClosed: Bool { closed.load(ordering: .acquiring) }

  package func beginRead() throws(StorageError) -> MemoryReadTransaction {
    if engine.isClosed { throw .storeClosed }
    guard let state = state.withLock({ $0 }) else { throw .snapshotClosed }
    return MemoryReadTransaction(engine, state, snapshot: self)
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
