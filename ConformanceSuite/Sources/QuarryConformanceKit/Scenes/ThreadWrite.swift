import Foundation
import QuarryBackend
package import QuarryCore
import Synchronization

/// A write on a thread of its own.
package final class ThreadWrite: Sendable {
  private let end = MonotonicSemaphore()
  private let error = Mutex<(any Error)?>(nil)

  package init(_ store: Store, timeout: Double? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) {
    Thread { [self] in
      do { try store.write(timeout: timeout, body) } catch let thrown { error.withLock { $0 = thrown } }
      end.signal()
    }.start()
  }

  /// Waits for its end, and fails with these words when it has none within so many seconds.
  package func outcome(within seconds: Double = .infinity, _ about: @autoclosure () -> String = "the write has no end")
    throws
  {
    try expect(end.wait(until: .after(seconds: seconds)), about())
    end.signal()
    if let error = error.withLock({ $0 }) { throw error }
  }
}
