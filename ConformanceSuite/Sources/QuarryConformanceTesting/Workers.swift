import Foundation

/// Two threads more than there are processors, because cases wait for the disk, for other processes and for time to pass: tests
/// wait for one of them without taking one from the shared pool, which the tasks of cases need.
package final class Workers: Sendable {
  package static let shared = Workers(count: ProcessInfo.processInfo.activeProcessorCount + 2)

  private let queue: OperationQueue

  private init(count: Int) {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = count
  }

  /// - Parameter isLong: What is long begins before all that waits, so that it is not what is left at the end.
  package func run<R: Sendable>(isLong: Bool = false, _ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      let operation = BlockOperation { continuation.resume(returning: body()) }
      if isLong { operation.queuePriority = .veryHigh }
      queue.addOperation(operation)
    }
  }
}
