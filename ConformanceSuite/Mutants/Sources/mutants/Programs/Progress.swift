import Foundation
import MutantPlanting
import Synchronization

/// The results so far, in memory and in the file.
final class Progress: Sendable {
  private let state: Mutex<RunState>
  private let told = Mutex(0)
  private let stateFile: URL
  private let total: Int

  init(state: RunState, stateFile: URL, total: Int) {
    self.state = Mutex(state)
    self.stateFile = stateFile
    self.total = total
  }

  func add(_ trial: Trial, _ mutant: Mutant) throws {
    try change(mutant) { $0.trials.append(trial) }
  }

  /// - Returns: Whether the plan had not ended before.
  func end(_ plan: String, _ mutant: Mutant) throws -> Bool {
    try change(mutant) { $0.tried.insert(plan).inserted }
  }

  private func change<R: Sendable>(_ mutant: Mutant, _ body: (inout MutantResult) -> R) throws -> R {
    try state.withLock { state in
      var changed = state.result(mutant)
      let result = body(&changed)
      state.results[mutant.id] = changed
      try state.write(stateFile)
      return result
    }
  }

  func result(_ mutant: Mutant) -> MutantResult { state.withLock { $0.result(mutant) } }

  /// What found the mutant before the sources were changed.
  func earlierFinding(of mutant: Mutant) -> Trial? { state.withLock { $0.earlierFinding(of: mutant) } }

  /// Those that survived before the sources were changed come last, the others stay in their order.
  func ordered(_ mutants: [(Int, Mutant)]) -> [(Int, Mutant)] {
    state.withLock { state in
      mutants.filter { !state.survivedEarlier($0.1) } + mutants.filter { state.survivedEarlier($0.1) }
    }
  }

  func tell(_ mutant: Mutant) {
    let result = result(mutant)
    let place = told.withLock { told in
      told += 1
      return told
    }
    let seconds = (result.trials.reduce(0) { $0 + $1.seconds } * 10).rounded() / 10
    let end =
      result.finding.map { "found by \($0.finder), \($0.engine) \($0.plan) \($0.part?.rawValue ?? "")" }
      ?? (result.isReached ? "SURVIVED" : "SURVIVED, never reached")
    say("[\(place)/\(total)] \(mutant.id) \(mutant.file):\(mutant.line): \(mutant.change)\n    \(end), \(seconds) s")
  }
}

extension RunState {
  func result(_ mutant: Mutant) -> MutantResult {
    // The line's number may be another one by now.
    var result = MutantResult(mutant)
    // One that a person has written keeps its id when its change is written again.
    guard let known = results[mutant.id], known.change == mutant.change else { return result }
    result.trials = known.trials
    result.tried = known.tried
    return result
  }
}

extension MutantResult {
  init(_ mutant: Mutant) {
    self.init(
      id: mutant.id, file: mutant.file, line: mutant.line, lineText: mutant.lineText, change: mutant.change, trials: [])
  }
}
