import Foundation
import QuarryBackend
import Synchronization

/// A thread that waits for an answer of the writer queue.
final class ParkedThread: Sendable {
  private let semaphore = MonotonicSemaphore()
  private let given = Mutex<WriterQueue.Answer?>(nil)
  /// Whether `given` is there: read by a thread that spins.
  private let isGiven = Atomic(false)
  /// Whether the thread spins before it sleeps.
  private let looks = Atomic(false)
  private let patience: SpinPatience

  init(_ patience: SpinPatience) {
    self.patience = patience
  }

  func end(_ answer: WriterQueue.Answer) {
    given.withLock { $0 = answer }
    isGiven.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Marks the thread as next in the queue, so that it spins instead of sleeping: only the turn holder is before it.
  func isNext() { looks.store(true, ordering: .relaxed) }

  /// Wakes the thread, because only the writer that has just received the turn is before it.
  func wake() {
    isNext()
    semaphore.signal()
  }

  /// The answer, or nil when none has arrived.
  func answer(until deadline: ContinuousClock.Instant?) -> WriterQueue.Answer? {
    while !isGiven.load(ordering: .acquiring) {
      if looks.exchange(false, ordering: .relaxed), look() { break }
      if let deadline, deadline <= .now { return nil }
      _ = semaphore.wait(until: deadline)
    }
    return given.withLock { $0 }
  }

  func answer() -> WriterQueue.Answer {
    answer(until: nil) ?? .failure(StorageError.busy(0))
  }

  /// Spins for some microseconds until the answer arrives, yielding the processor in between.
  private func look() -> Bool {
    guard patience.take() else { return false }
    let end = ContinuousClock.now + SpinPatience.time
    repeat {
      for _ in 0..<64 where isGiven.load(ordering: .acquiring) {
        patience.note(wasWorthIt: true)
        return true
      }
      sched_yield()
    } while ContinuousClock.now < end
    patience.note(wasWorthIt: false)
    return false
  }
}

/// Whether spinning for a turn is worth it, compared with sleeping. After it has failed several times, because turns are long or
/// the processors are busy, it is not tried for some time. Notes that threads make at the same time may get lost.
final class SpinPatience: Sendable {
  /// About the time that it takes to put a thread to sleep and to wake it.
  static let time = Duration.microseconds(30)

  let isPossible: Bool
  /// The credit that is left; below zero, the number of times that spinning is not tried.
  private let left = Atomic(8)

  init(isPossible: Bool) {
    self.isPossible = isPossible && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  var isLeft: Bool { isPossible && left.load(ordering: .relaxed) > 0 }

  /// Whether to spin now.
  func take() -> Bool {
    guard isPossible else { return false }
    if left.load(ordering: .relaxed) > 0 { return true }
    left.add(1, ordering: .relaxed)
    return false
  }

  func note(wasWorthIt: Bool) {
    let before = left.load(ordering: .relaxed)
    if wasWorthIt {
      if before < 8 { left.store(before + 1, ordering: .relaxed) }
    } else {
      left.store(before > 4 ? before - 4 : -64, ordering: .relaxed)
    }
  }
}
