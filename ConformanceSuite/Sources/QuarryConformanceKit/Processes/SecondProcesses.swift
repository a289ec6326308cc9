import Synchronization

/// The second processes of a case, so that they can be ended from outside when it hangs.
package final class SecondProcesses: Sendable {
  private struct State {
    var processes: [SecondProcess] = []
    var isOver = false
    /// How many were left when those that had ended were taken out.
    var pruned = 32
  }
  private let state = Mutex(State())

  func add(_ process: SecondProcess) {
    let isOver = state.withLock { state in
      // A case may have thousands one after the other, each with its descriptors.
      if state.processes.count >= state.pruned * 2 {
        state.processes.removeAll { $0.hasEnded }
        state.pruned = max(32, state.processes.count)
      }
      if !state.isOver { state.processes.append(process) }
      return state.isOver
    }
    // The case was given up, and goes on only because nobody can stop its thread.
    if isOver { process.kill() }
  }

  /// Ends those that are left, and any that is still to come.
  func killAll() {
    let processes = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.processes
    }
    for process in processes { process.kill() }
  }
}
