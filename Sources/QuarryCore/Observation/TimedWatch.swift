import QuarryBackend

/// Waits for the time to pass: for an engine without notifications.
final class TimedWatch: CommitWatch {
  private let condition = MonotonicCondition()

  func wait(seconds: Double) {
    condition.withLock { _ = condition.wait(until: .after(seconds: seconds)) }
  }

  func wake() {
    condition.withLock { condition.broadcast() }
  }
}
