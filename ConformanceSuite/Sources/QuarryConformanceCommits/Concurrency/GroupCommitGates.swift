import Foundation
import QuarryConformanceKit
import Synchronization

/// Is there once.
final class Flag: Sendable {
  private let isThere = Atomic(true)

  func take() -> Bool { isThere.exchange(false, ordering: .relaxed) }
}

/// Holds threads until they may go on.
final class Gate: Sendable {
  private let isReached = Atomic(false)
  private let isOpen = Atomic(false)

  func hold() {
    isReached.store(true, ordering: .sequentiallyConsistent)
    while !isOpen.load(ordering: .sequentiallyConsistent) { Thread.sleep(forTimeInterval: 0.001) }
  }

  /// Waits until somebody is held.
  func reached() async throws {
    while !isReached.load(ordering: .sequentiallyConsistent) { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Waits on this thread until somebody is held, or for some seconds in vain.
  func waitUntilHeld() {
    let end = ContinuousClock.now + .seconds(10)
    while !isReached.load(ordering: .sequentiallyConsistent), ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  func open() { isOpen.store(true, ordering: .sequentiallyConsistent) }
}
