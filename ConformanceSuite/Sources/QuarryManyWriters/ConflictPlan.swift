import Foundation
import Synchronization

/// Which calls of transactions are answered by a conflict that nothing has caused.
package enum ConflictPlan: Sendable, Hashable {
  case none
  /// Each call with this probability.
  case random(Double)
  /// The call of this number, from 1, in each transaction that is not the repetition of another one.
  case everyFirst(Int)
}

/// Decides by a plan.
final class ConflictSource: Sendable {
  private struct State {
    var random: SplitMix
    /// The threads whose last transaction was answered by a conflict.
    var threads: Set<ObjectIdentifier> = []
  }

  private let plan: ConflictPlan
  private let state: Mutex<State>

  init(_ plan: ConflictPlan, seed: UInt64) {
    self.plan = plan
    state = Mutex(State(random: SplitMix(seed)))
  }

  /// Decides for a call of a transaction.
  ///
  /// - Parameter call: The number of the call, from 1.
  func isConflict(_ call: Int) -> Bool {
    switch plan {
    case .none: return false
    case .random(let probability):
      return state.withLock { .random(in: 0..<1, using: &$0.random) < probability }
    case .everyFirst(let number):
      guard call == number else { return false }
      // The transaction after a conflict is taken for its repetition.
      let thread = ObjectIdentifier(Thread.current)
      return state.withLock { state in
        if state.threads.remove(thread) != nil { return false }
        state.threads.insert(thread)
        return true
      }
    }
  }
}
