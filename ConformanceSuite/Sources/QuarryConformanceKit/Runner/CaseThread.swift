import Foundation
import QuarryBackend
import Synchronization

/// Threads of its own for one case. A case that hangs takes these threads with it and none of the shared pool, and it goes
/// on while others have all threads of that pool.
final class CaseThread: TaskExecutor, @unchecked Sendable {
  // Unchecked: the condition guards the fields.

  /// The thread of the case that is running.
  @TaskLocal static var current: CaseThread?

  /// Threads for the tasks that the case begins: few, so that tasks that hold them are found.
  let forTasks: CaseThread?

  private let condition = NSCondition()
  private let limit: Int
  private var jobs: [UnownedJob] = []
  private var started = 0
  private var idle = 0
  private var isFinished = false

  private init(threads limit: Int, forTasks: CaseThread? = nil) {
    self.limit = limit
    self.forTasks = forTasks
  }

  func enqueue(_ job: consuming ExecutorJob) {
    // The task keeps its executor, and may have ended as soon as the job is among the others.
    let kept = Unmanaged.passRetained(self)
    defer { kept.release() }
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    let startsThread = idle < jobs.count && started < limit
    if startsThread { started += 1 }
    condition.signal()
    condition.unlock()
    if startsThread { start() }
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
      idle += 1
      condition.wait()
      idle -= 1
    }
    return jobs.removeFirst()
  }

  private func finish() {
    condition.lock()
    isFinished = true
    condition.broadcast()
    condition.unlock()
    forTasks?.finish()
  }

  /// Runs the body and waits for its end, on the monotonic clock.
  ///
  /// - Returns: What the body returns; nil when it did not end within the limit. Its thread is left behind then.
  static func run<R: Sendable>(within limit: Duration, _ body: @escaping @Sendable () async -> R) -> R? {
    let thread = CaseThread(threads: 1, forTasks: CaseThread(threads: 4))
    let ended = MonotonicSemaphore()
    let result = ResultBox<R>()
    Task(executorPreference: thread) {
      let value = await $current.withValue(thread) { await body() }
      result.value.withLock { $0 = value }
      ended.signal()
      thread.finish()
    }
    guard ended.wait(atMost: limit) else { return nil }
    return result.value.withLock { $0 }
  }

  private final class ResultBox<R: Sendable>: Sendable {
    let value = Mutex<R?>(nil)
  }
}

extension Task where Failure == any Error {
  /// A task that a case begins, on threads that are the case's own.
  package static func ofCase(_ body: @escaping @Sendable () async throws -> Success) -> Task {
    Task(executorPreference: CaseThread.current?.forTasks) { try await body() }
  }
}
