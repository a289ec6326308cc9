import QuarryBackend
import Synchronization

/// The trees of a store and the turn of its writers. Several sessions may share one.
package final class TreeStore: Sendable {
  private let newest: Mutex<TreeState>
  /// Open while no one writes.
  private let gate = MonotonicSemaphore(value: 1)

  package init(_ state: TreeState = .empty) {
    newest = Mutex(state)
  }

  /// The newest committed state.
  package var state: TreeState { newest.withLock { $0 } }

  /// Makes the state the newest one. Only for the holder of the gate, or one that keeps the order by other means.
  package func publish(_ state: TreeState) {
    // The old state may be the last holder of many nodes: they go after the lock.
    let old = newest.withLock { newest in
      let old = newest
      newest = state
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Waits for the previous writer to end, for the given number of seconds.
  ///
  /// - Returns: Whether the gate is now the caller's.
  package func enter(timeout: Double) -> Bool {
    if gate.takeIfFree() { return true }
    if !(timeout > 0) { return false }
    return gate.wait(until: .after(seconds: timeout))
  }

  /// Lets the next writer in. Any thread may do so for the one that entered.
  package func leave() {
    gate.signal()
  }
}
