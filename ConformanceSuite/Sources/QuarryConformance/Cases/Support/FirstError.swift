import Synchronization

/// The first error of several threads.
final class FirstError: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  /// Runs the body and keeps what it throws.
  func note(_ body: () throws -> Void) {
    do {
      try body()
    } catch let caught {
      error.withLock { if $0 == nil { $0 = caught } }
    }
  }

  func rethrow() throws {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
