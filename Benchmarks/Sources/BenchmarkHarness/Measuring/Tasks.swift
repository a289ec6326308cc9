import Dispatch
import Synchronization

/// Tasks that work beside each other.
enum Tasks {
  /// Runs the body in tasks and waits on this thread for all of them.
  ///
  /// They have threads of their own: this one may be of the pool that tasks have otherwise, and waits.
  ///
  /// - Throws: The first error of any of them.
  static func run(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) throws {
    let outcome = Outcome()
    Task.detached(executorPreference: QueueExecutor.shared) {
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<count { group.addTask { try await body(index) } }
          try await group.waitForAll()
        }
        outcome.end(nil)
      } catch {
        outcome.end(error)
      }
    }
    try outcome.wait()
  }

  /// As many threads as Dispatch finds right.
  private final class QueueExecutor: TaskExecutor {
    static let shared = QueueExecutor()
    private let queue = DispatchQueue(label: "quarry.benchmark.tasks", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  private final class Outcome: Sendable {
    private let error = Mutex<(any Error)?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    func end(_ error: (any Error)?) {
      self.error.withLock { $0 = error }
      isOver.signal()
    }

    func wait() throws {
      isOver.wait()
      if let error = error.withLock({ $0 }) { throw error }
    }
  }
}
