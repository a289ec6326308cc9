import Foundation
import Synchronization

/// Threads of their own for work that must really run side by side, whatever the number of cores.
package enum Threads {
  /// Runs the body on threads and waits for all of them.
  ///
  /// - Throws: The first error of any of them.
  static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let running = (0..<count).map { index in start { try body(index) } }
    var failure: (any Error)?
    for thread in running {
      do { try thread.wait() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  package static func start(_ body: @escaping @Sendable () throws -> Void) -> Running {
    let running = Running()
    let thread = Thread {
      do {
        try body()
        running.finish(nil)
      } catch {
        running.finish(error)
      }
    }
    thread.stackSize = 8 << 20
    thread.start()
    return running
  }

  package final class Running: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)
    private let isFinished = Atomic(false)

    package var isRunning: Bool { !isFinished.load(ordering: .acquiring) }

    fileprivate func finish(_ error: (any Error)?) {
      failure.withLock { $0 = error }
      isFinished.store(true, ordering: .releasing)
      done.signal()
    }

    package func wait() throws {
      done.wait()
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }
}
