import Synchronization

/// The first error of several threads.
package final class FirstError: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  package init() {}

  /// Runs the body and keeps what it throws.
  package func note(_ body: () throws -> Void) {
    do {
      try body()
    } catch let caught {
      error.withLock { if $0 == nil { $0 = caught } }
    }
  }

  package func rethrow() throws {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
