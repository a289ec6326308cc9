import Foundation
import QuarryBackend
import Synchronization

/// A thread that waits for an answer of the line of writers.
final class ThreadWait: Sendable {
  private let semaphore = MonotonicSemaphore()
  private let given = Mutex<WriterLine.Answer?>(nil)
  /// Whether `given` is there: what a thread looks at that does not sleep.
  private let isGiven = Atomic(false)
  /// Whether the thread is to look before it sleeps.
  private let looks = Atomic(false)
  private let patience: SpinPatience

  init(_ patience: SpinPatience) {
    self.patience = patience
  }

  func end(_ answer: WriterLine.Answer) {
    given.withLock { $0 = answer }
    isGiven.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Says that nobody but who has the turn is before the thread.
  func isNext() { looks.store(true, ordering: .relaxed) }

  /// Wakes the thread, because nobody but who has just got the turn is before it.
  func wake() {
    isNext()
    semaphore.signal()
  }

  /// The answer, or nil when there was none until then.
  func answer(until deadline: ContinuousClock.Instant?) -> WriterLine.Answer? {
    while !isGiven.load(ordering: .acquiring) {
      if looks.exchange(false, ordering: .relaxed), look() { break }
      if let deadline, deadline <= .now { return nil }
      _ = semaphore.wait(until: deadline)
    }
    return given.withLock { $0 }
  }

  func answer() -> WriterLine.Answer {
    answer(until: nil) ?? .failure(StorageError.busy(0))
  }

  /// Looks for the answer for some microseconds, and lets others have the processor in between.
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

/// Whether it is worth while to look for a turn instead of sleeping: where it was not for some times, because turns are long
/// or the processors are busy, it is not tried for some time. What threads note at the same time may get lost.
final class SpinPatience: Sendable {
  /// About as long as it takes to put a thread to sleep and to wake it.
  static let time = Duration.microseconds(30)

  let isPossible: Bool
  /// How much is left of it; below zero, how often it is not to be tried.
  private let left = Atomic(8)

  init(isPossible: Bool) {
    self.isPossible = isPossible && ProcessInfo.processInfo.activeProcessorCount > 1
  }

  var isLeft: Bool { isPossible && left.load(ordering: .relaxed) > 0 }

  /// Whether to try it now.
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
