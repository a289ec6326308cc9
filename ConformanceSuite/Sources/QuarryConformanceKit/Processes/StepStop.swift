import Synchronization

/// Stops the process before one of the steps that a backend is asked for, until a line is read: so that the kit kills it,
/// or does something else, at that moment.
package final class StepStop: Sendable {
  private let number: Int
  private let taken = Atomic(0)

  /// - Parameter number: The step to stop before, from 1 on; `Int.max` to count alone.
  package init(before number: Int) {
    self.number = number
  }

  /// How many steps there were.
  package var count: Int { taken.load(ordering: .sequentiallyConsistent) }

  func step(_ name: String) {
    guard taken.add(1, ordering: .sequentiallyConsistent).newValue == number else { return }
    ChildInterpreter.say("at \(name)")
    _ = readLine()
  }
}
