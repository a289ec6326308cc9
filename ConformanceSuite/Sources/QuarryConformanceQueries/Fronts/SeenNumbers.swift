import QuarryConformanceKit
import Synchronization

/// Numbers that a closure sees which runs on another thread.
final class SeenNumbers: Sendable {
  private let numbers = Mutex<[Int]>([])

  func add(_ number: Int) {
    numbers.withLock { $0.append(number) }
  }

  var all: [Int] { numbers.withLock { $0 } }
}
