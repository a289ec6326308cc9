import Foundation
import QuarryBackend

/// Threads that transactions of the async calls run on, from begin to end, so that the cooperative pool never blocks
/// and an engine never sees a transaction change its thread.
///
/// A thread is started when more work waits than threads are idle and there are fewer than the limit; it ends after ten
/// idle seconds.
final class TransactionThreads: @unchecked Sendable {
  // Unchecked because the fields below are guarded by `condition`.
  private let condition = MonotonicCondition()
  private var queue: [@Sendable () -> Void] = []
  private var taken = 0
  private var idle = 0
  private var threads = 0
  private let limit: Int
  private let name: String

  init(name: String, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// Runs the work on one of the threads, after the work before it has begun.
  func run(_ work: @escaping @Sendable () -> Void) {
    condition.lock()
    queue.append(work)
    let starts = queue.count - taken > idle && threads < limit
    if starts { threads += 1 }
    condition.signal()
    condition.unlock()
    guard starts else { return }
    let thread = Thread { [self] in loop() }
    thread.name = name
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func loop() {
    condition.lock()
    while let work = next() {
      condition.unlock()
      work()
      condition.lock()
    }
    threads -= 1
    condition.unlock()
  }

  /// The next work, waited for; nil when none came. The lock is held.
  private func next() -> (@Sendable () -> Void)? {
    let end = ContinuousClock.now + .seconds(10)
    while taken == queue.count {
      queue.removeAll(keepingCapacity: true)
      taken = 0
      idle += 1
      let hasTime = condition.wait(until: end)
      idle -= 1
      if !hasTime, taken == queue.count { return nil }
    }
    let work = queue[taken]
    queue[taken] = {}
    taken += 1
    return work
  }
}
