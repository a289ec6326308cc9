import Dispatch
import QuarryBackend
import Synchronization

/// The data of a memory store, which all engines that were opened on it share.
final class MemoryStore: Sendable {
  private let newest = Mutex(MemoryState(version: CommitVersion(0), trees: MemoryTrees()))
  /// Open while nobody writes. It is made closed and opened at once, because Dispatch ends the process when a semaphore
  /// goes with a smaller value than it was made with.
  private let gate = DispatchSemaphore(value: 0)

  init() {
    gate.signal()
  }

  /// The newest committed state.
  var state: MemoryState { newest.withLock { $0 } }

  /// Makes the state the newest one. Only for the holder of the gate.
  func publish(_ state: MemoryState) {
    // The old state may be the last holder of many nodes: they go after the lock.
    let old = newest.withLock { newest in
      let old = newest
      newest = state
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Waits for the writer before to end, for so many seconds.
  ///
  /// - Returns: Whether the gate is now the caller's.
  func enter(timeout: Double) -> Bool {
    if gate.wait(timeout: .now()) == .success { return true }
    if !(timeout > 0) { return false }
    // Thirty years are for ever, and still less than what a DispatchTime can hold.
    let deadline: DispatchTime = timeout < 1e9 ? .now() + timeout : .distantFuture
    return gate.wait(timeout: deadline) == .success
  }

  /// Lets the next writer in. Any thread may do so for the one that entered.
  func leave() {
    gate.signal()
  }
}
