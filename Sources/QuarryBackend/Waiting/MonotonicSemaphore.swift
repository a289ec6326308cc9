import Synchronization

/// A counting semaphore whose timed waits follow a clock that no one sets: see ``MonotonicCondition``.
package final class MonotonicSemaphore: Sendable {
  /// The free places; below zero, how many threads wait.
  private let value: Atomic<Int>
  /// Places that were given to threads that wait. The condition's lock guards it.
  private let given = Atomic(0)
  private let condition = MonotonicCondition()

  package init(value: Int = 0) {
    self.value = Atomic(value)
  }

  /// Frees a place, and wakes a thread that waits for one.
  package func signal() {
    guard value.add(1, ordering: .acquiringAndReleasing).oldValue < 0 else { return }
    condition.withLock {
      given.add(1, ordering: .relaxed)
      condition.signal()
    }
  }

  /// Takes a place if one is free.
  package func takeIfFree() -> Bool {
    var free = value.load(ordering: .relaxed)
    while free > 0 {
      let (isTaken, now) = value.weakCompareExchange(
        expected: free, desired: free - 1, ordering: .acquiringAndReleasing)
      if isTaken { return true }
      free = now
    }
    return false
  }

  /// Takes a place, and waits until one is free.
  package func wait() { _ = wait(until: nil) }

  /// Takes a place, and waits for one at most for the given time.
  ///
  /// - Returns: Whether a place was taken.
  package func wait(atMost limit: Duration) -> Bool {
    if takeIfFree() { return true }
    return limit > .zero && wait(until: .now + min(limit, .seconds(1_000_000_000)))
  }

  /// Takes a place, and waits for one until the deadline; without end where it is nil.
  ///
  /// - Returns: Whether a place was taken.
  package func wait(until deadline: ContinuousClock.Instant?) -> Bool {
    if value.subtract(1, ordering: .acquiringAndReleasing).oldValue > 0 { return true }
    return condition.withLock {
      while given.load(ordering: .relaxed) == 0 {
        if condition.wait(until: deadline) { continue }
        if given.load(ordering: .relaxed) > 0 { break }
        // This thread no longer waits, unless a place was just freed for it: then that place is about to be given.
        var waiting = value.load(ordering: .relaxed)
        while waiting < 0 {
          let (hasLeft, now) = value.weakCompareExchange(
            expected: waiting, desired: waiting + 1, ordering: .acquiringAndReleasing)
          if hasLeft { return false }
          waiting = now
        }
        condition.wait()
      }
      given.subtract(1, ordering: .relaxed)
      return true
    }
  }
}

extension ContinuousClock.Instant {
  /// The end of a wait of any number of seconds, as ``Deadline`` reads it; nil for a wait without an end.
  package static func after(seconds: Double) -> ContinuousClock.Instant? { Deadline(after: seconds).instant }
}
