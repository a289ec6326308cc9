import QuarryBackend

/// Lets one thread of this process write at a time, and others wait so long and no longer.
///
/// Sendable unchecked: `isHeld` is read and written under the condition's lock only.
final class SQLiteWriterLock: @unchecked Sendable {
  private let condition = MonotonicCondition()
  private var isHeld = false

  /// Takes the lock.
  ///
  /// - Parameter seconds: How long to wait.
  /// - Throws: `busy`.
  func take(_ seconds: Double) throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    guard isHeld else {
      isHeld = true
      return
    }
    let end = ContinuousClock.Instant.after(seconds: seconds)
    while isHeld {
      if let end, end <= .now { throw .busy(seconds) }
      _ = condition.wait(until: end)
    }
    isHeld = true
  }

  func give() {
    condition.lock()
    isHeld = false
    condition.signal()
    condition.unlock()
  }
}
