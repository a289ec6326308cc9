import Foundation

/// Runs the body on another thread and waits for it.
package func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
  try onThreads(1) { _ in try body() }
}

/// Runs the body on that many threads at once and waits for all; throws what one of them threw.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let group = DispatchGroup()
  let error = FirstError()
  for number in 0..<count {
    group.enter()
    let thread = Thread {
      error.note { try body(number) }
      group.leave()
    }
    thread.start()
  }
  group.wait()
  try error.rethrow()
}
