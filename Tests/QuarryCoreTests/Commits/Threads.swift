import Foundation
import Synchronization

/// Runs a body on several threads at once, and waits for all of them.
///
/// - Throws: The first error of a body.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
  let failure = Mutex<(any Error)?>(nil)
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    Thread {
      do {
        try body(number)
      } catch {
        failure.withLock { if $0 == nil { $0 = error } }
      }
      group.leave()
    }.start()
  }
  group.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}
