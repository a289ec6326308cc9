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

  package func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      queue.addOperation { continuation.resume(returning: body()) }
    }
  }
}
