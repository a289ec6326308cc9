import Foundation

/// A thread for one actor, which ends with it.
package final class ActorThread: SerialExecutor {
  private let queue = Queue()

  package init() {
    let thread = Thread { [queue] in queue.work() }
    thread.start()
  }

  deinit {
    queue.finish()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The job keeps the actor, and so the executor.
    queue.add { [unowned self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  private final class Queue: @unchecked Sendable {
    // Unchecked: the condition guards the fields.
    private let condition = NSCondition()
    private var jobs: [() -> Void] = []
    private var isFinished = false

    func add(_ job: @escaping () -> Void) {
      condition.lock()
      jobs.append(job)
      condition.signal()
      condition.unlock()
    }

    func finish() {
      condition.lock()
      isFinished = true
      condition.signal()
      condition.unlock()
    }

    func work() {
      while let job = next() { job() }
    }

    private func next() -> (() -> Void)? {
      condition.lock()
      defer { condition.unlock() }
      while jobs.isEmpty {
        if isFinished { return nil }
        condition.wait()
      }
      return jobs.removeFirst()
    }
  }
}
