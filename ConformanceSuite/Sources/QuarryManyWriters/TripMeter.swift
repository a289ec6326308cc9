import Foundation
import Synchronization

/// Counts the round trips to a simulated server, and waits for each.
package final class TripMeter: Sendable {
  /// The number of trips of each kind.
  package struct Counts: Sendable, Hashable {
    /// Trips that begin a transaction, or read a row without one.
    package var begins = 0
    /// Trips of a call in a transaction.
    package var calls = 0
    package var commits = 0
    /// Calls that were answered by a conflict.
    package var conflicts = 0
    /// The greatest number of trips at one time.
    package var mostAtOnce = 0

    package var all: Int { begins + calls + commits }
  }

  private let counts = Mutex(Counts())
  /// The number of trips that are under way.
  private let underWay = Atomic(0)
  /// The seconds of a trip.
  private let seconds: Double

  /// - Parameter seconds: The time of a trip.
  package init(seconds: Double = 0) {
    self.seconds = seconds
  }

  /// The counts since the last call of this function.
  package func take() -> Counts {
    counts.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  func trip(_ kind: WritableKeyPath<Counts, Int>) {
    let now = underWay.add(1, ordering: .relaxed).newValue
    counts.withLock { counts in
      counts[keyPath: kind] += 1
      counts.mostAtOnce = max(counts.mostAtOnce, now)
    }
    if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    underWay.subtract(1, ordering: .relaxed)
  }

  func note(_ kind: WritableKeyPath<Counts, Int>) { counts.withLock { $0[keyPath: kind] += 1 } }
}
