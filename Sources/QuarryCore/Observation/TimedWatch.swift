import Foundation
import QuarryBackend

/// Waits for the time to pass: for an engine that nobody notifies.
final class TimedWatch: CommitWatch {
  private let condition = NSCondition()

  func wait(seconds: Double) {
    condition.lock()
    _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))
    condition.unlock()
  }

  func wake() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }
}
