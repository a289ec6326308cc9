import Foundation
import Synchronization

/// A thread of its own for one case. A case that hangs takes this thread with it and none of the shared pool.
final class CaseThread: TaskExecutor, @unchecked Sendable {
  // Unchecked: the condition guards the fields.

  /// The thread of the case that is running: for tasks that must go on while others have all threads of the shared pool.
  @TaskLocal static var current: CaseThread?

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isFinished = false

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    condition.signal()
    condition.unlock()
  }

  private func start() {
    let thread = Thread { [self] in
      while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
    // Predicates may be 200 deep, and a debug build takes much stack for each level.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func next() -> UnownedJob? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty {
      if isFinished { return nil }
      condition.wait()
    }
    return jobs.removeFirst()
  }

  private func finish() {
    condition.lock()
    isFinished = true
    condition.signal()
    condition.unlock()
  }

  /// Runs the body and waits for its end, on the monotonic clock.
  ///
  /// - Returns: What the body returns; nil when it did not end within the limit. Its thread is left behind then.
  static func run<R: Sendable>(within limit: Duration, _ body: @escaping @Sendable () async -> R) -> R? {
    let thread = CaseThread()
    let ended = DispatchSemaphore(value: 0)
    let result = ResultBox<R>()
    thread.start()
    Task(executorPreference: thread) {
      let value = await $current.withValue(thread) { await body() }
      result.value.withLock { $0 = value }
      ended.signal()
      thread.finish()
    }
    let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) * 1e-18
    guard ended.wait(timeout: .now() + seconds) == .success else { return nil }
    return result.value.withLock { $0 }
  }

  private final class ResultBox<R: Sendable>: Sendable {
    let value = Mutex<R?>(nil)
  }
}
