import Foundation

/// As many threads as there are processors: tests wait for one of them without taking one from the shared pool, which the
/// tasks of cases need.
package final class Workers: Sendable {
  package static let shared = Workers(count: max(2, ProcessInfo.processInfo.activeProcessorCount))

  private let queue: OperationQueue

  private init(count: Int) {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = count
  }

  package func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      queue.addOperation { continuation.resume(returning: body()) }
    }
  }
}
