import Foundation
import QuarryBackend

/// Lets one thread of this process write at a time, and others wait so long and no longer.
///
/// Sendable unchecked: `isHeld` is read and written under the condition's lock only.
final class SQLiteWriterLock: @unchecked Sendable {
  private let condition = NSCondition()
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
    let end = ContinuousClock.now + .seconds(seconds)
    while isHeld {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else {
        throw .busy(seconds)
      }
      // A wait that ends early, because the clock was set, goes round again.
      let (whole, fraction) = left.components
      _ = condition.wait(until: Date(timeIntervalSinceNow: Double(whole) + Double(fraction) / 1e18))
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
