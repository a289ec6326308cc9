import Foundation
import QuarryBackend
import Synchronization

/// The turn to write, which one writer has at a time. A writer may end on another thread, so that this is no lock.
final class WriterTurn: Sendable {
  private let isTaken = Mutex(false)

  /// Takes the turn, and looks again and again until it is free: the timeout of a semaphore follows the wall clock on Linux.
  ///
  /// - Returns: Whether it was free in time.
  func take(within seconds: Double) -> Bool {
    let deadline = Deadline(after: seconds)
    while true {
      let isMine = isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
      if isMine { return true }
      if deadline.hasPassed { return false }
      usleep(500)
    }
  }

  func give() { isTaken.withLock { $0 = false } }
}
