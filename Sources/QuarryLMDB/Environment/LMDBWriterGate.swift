import CLMDB
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lets one write transaction of all processes begin, and others wait so long and no longer: LMDB's own wait has no end.
final class LMDBWriterGate: Sendable {
  /// A write transaction that was ended on another thread than it began on.
  ///
  /// LMDB's mutex can be released only by the thread that took it, so it waits for that thread to come back, or to end.
  struct Orphan: Sendable {
    var thread: Int64
    var end: @Sendable () -> Void
  }

  /// Open while no thread of this process writes.
  private let semaphore = MonotonicSemaphore(value: 1)
  private let orphan = Mutex<Orphan?>(nil)
  private let lock: ByteLocks

  init(_ lock: ByteLocks) {
    self.lock = lock
  }

  /// Takes the turn if no writer has it or waits for it, without a look at the clock.
  func enterAtOnce() throws(StorageError) -> Bool {
    endOrphan()
    guard semaphore.takeIfFree() else { return false }
    return try pass(0)
  }

  /// Waits for the writers before to end.
  ///
  /// - Parameters:
  ///   - deadline: When the wait ends.
  ///   - seconds: How long the caller waits, for the error.
  /// - Throws: `busy`.
  func enter(_ deadline: Deadline, _ seconds: Double) throws(StorageError) {
    endOrphan()
    while !semaphore.wait(atMost: .seconds(min(deadline.secondsLeft, 0.05))) {
      endOrphan()
      if deadline.hasPassed {
        throw .busy(seconds)
      }
    }
    if try !pass(deadline.secondsLeft) { throw .busy(seconds) }
  }

  /// Waits for the writers of other processes, for the thread that may write of this one.
  ///
  /// - Returns: Whether it has the turn. If not, another thread may write.
  private func pass(_ seconds: Double) throws(StorageError) -> Bool {
    do throws(StorageError) {
      let hasTurn = try Turnstile(lock, at: LMDBFileLock.queue).pass(seconds) { () throws(StorageError) in
        lock.set(.write, LMDBFileLock.writer)
      }
      if !hasTurn { semaphore.signal() }
      return hasTurn
    } catch {
      semaphore.signal()
      throw error
    }
  }

  /// Waits for as many seconds.
  func enter(_ seconds: Double) throws(StorageError) { try enter(Deadline(after: seconds), seconds) }

  /// Lets the next writer in. Any thread may do so.
  func leave() {
    _ = lock.set(.none, LMDBFileLock.writer)
    semaphore.signal()
  }

  /// Keeps a transaction until its thread comes back.
  func adopt(_ orphan: Orphan) {
    self.orphan.withLock { $0 = orphan }
    endOrphan()
  }

  /// Ends a transaction that was left behind, if that is possible now.
  func endOrphan() {
    let found = orphan.withLock { orphan -> Orphan? in
      guard let waiting = orphan,
        waiting.thread == quarry_lmdb_thread() || quarry_lmdb_has_thread(waiting.thread) == 0
      else { return nil }
      orphan = nil
      return waiting
    }
    found?.end()
  }
}
