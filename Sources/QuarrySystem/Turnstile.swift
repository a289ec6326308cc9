package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The queue of the processes that want the write lock of one store, which is another lock than this.
///
/// Each waiter holds one byte behind the bytes of earlier waiters, and asks for the write lock when no byte before its own is
/// held. So the order is the order of the calls, whatever the system does with waiting locks. Linux queues the waiters of one
/// lock, but gives it to a process that asks between its release and the wakening of the first. The system releases the bytes of
/// a process that ends. Without contention a writer pays for one check of the queue.
///
/// One thread of the process at a time, and no other descriptor of the file is closed meanwhile: at worst a place is lost, and
/// with it the order, never the write lock.
package struct Turnstile {
  private let locks: ByteLocks
  /// The byte that a waiter holds while it takes a place; the places follow.
  private let door: Int64
  private static let places: Int64 = 1 << 32

  /// - Parameter start: The first of the bytes, far behind the end of the file.
  package init(_ locks: ByteLocks, at start: Int64) {
    self.locks = locks
    door = start
  }

  /// How long a process waits at most between two looks, in microseconds: the first of the queue, and those behind it.
  private static let longestPause: UInt32 = 1_000
  /// After how many seconds without progress a process asks for the write lock though others are before it: one of them may
  /// have been stopped, and does not ask.
  private static let patience = 0.25

  /// Calls the closure until it has the write lock, when it is this process's turn.
  ///
  /// - Parameters:
  ///   - seconds: How long to wait.
  ///   - attempt: Asks for the write lock, without waiting; returns whether it has it.
  /// - Returns: Whether the write lock was had in time.
  package func pass(
    _ seconds: Double, _ attempt: () throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    if locks.holder(door + 1, count: Self.places) == nil, try attempt() { return true }
    guard seconds > 0 else { return false }
    let end = ContinuousClock.now + .seconds(min(seconds, 1e9))
    let place = takePlace(end)
    defer { if let place { _ = locks.set(.none, place) } }
    var isFirst = place == nil
    var lastAttempt = ContinuousClock.now
    var pause: UInt32 = 50
    while true {
      if !isFirst, let place, locks.holder(door + 1, count: place - door - 1) == nil {
        isFirst = true
        pause = 50
      }
      let now = ContinuousClock.now
      if isFirst || now - lastAttempt > .seconds(Self.patience) {
        if try attempt() { return true }
        lastAttempt = now
      }
      if now >= end { return false }
      usleep(pause)
      pause = min(pause + pause / 2, Self.longestPause)
    }
  }

  /// Takes the place behind all that are taken.
  ///
  /// - Returns: Nil where the file system has no such locks, or all is taken.
  private func takePlace(_ end: ContinuousClock.Instant) -> Int64? {
    var attempts = 0
    while !locks.set(.write, door) {
      attempts += 1
      // The others hold it for a few calls of the system each.
      if attempts > 2_000 || ContinuousClock.now >= end { return nil }
      usleep(50)
    }
    defer { _ = locks.set(.none, door) }
    let last = door + Self.places
    var place = door + 1
    while let held = locks.lastHeld(place, count: last - place) {
      place = held + 1
      if place >= last { return nil }
    }
    return locks.set(.write, place) ? place : nil
  }
}
