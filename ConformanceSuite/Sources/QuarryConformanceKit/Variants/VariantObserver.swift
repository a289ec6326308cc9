import Synchronization

/// Takes down what a decorator sees and the case cannot.
package final class VariantObserver: Sendable {
  private let failures = Mutex<[ConformanceFailure]>([])

  func note(_ message: String, file: String = #fileID, line: Int = #line) {
    failures.withLock { $0.append(ConformanceFailure(message: message, file: file, line: line)) }
  }

  var first: ConformanceFailure? { failures.withLock { $0.first } }
}
