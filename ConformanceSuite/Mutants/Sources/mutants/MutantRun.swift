import Foundation
import MutantPlanting

/// Tries mutants, several at once, and keeps each result as it comes.
struct MutantRun: Sendable {
  /// With their numbers.
  let mutants: [(Int, Mutant)]
  let trials: MutantTrials
  let progress: Progress
  let jobs: Int
  /// Whether what survives the quick plan is tried with the whole one.
  let isFull: Bool

  /// Tries what is known to have been found with the case that found it alone, which takes a moment.
  ///
  /// - Parameter finding: What found the mutant, in another checkout or before the sources were changed.
  func confirm(_ finding: (MutantResult) -> Trial?) throws {
    let due = mutants.compactMap { number, mutant -> (Int, Mutant, Trial)? in
      let result = progress.result(mutant)
      guard result.trials.isEmpty, let finding = progress.earlierFinding(of: mutant) ?? finding(result),
        finding.failedRun != nil, trials.engines(for: mutant).contains(finding.engine)
      else { return nil }
      return (number, mutant, finding)
    }
    guard !due.isEmpty else { return }
    say("\(due.count) mutants are tried first with the case that has found them before")
    try concurrently(due, jobs) { number, mutant, finding in
      guard let trial = try trials.confirmed(number, finding) else {
        return say("\(mutant.id): \(finding.finder) on \(finding.engine) does not find it any more")
      }
      try progress.add(trial, mutant)
      if try progress.end("quick", mutant) { progress.tell(mutant) }
    }
  }

  /// - Parameter isArgued: Whether the mutant is tried with the nearest cases only.
  func tryAll(_ isArgued: @Sendable (MutantResult) -> Bool) throws {
    // The quick plan for all before the whole plan for its survivors: an interrupted run has the cheap answers.
    let stages: [MutantTrials.Stage] = isFull ? [.nearest, .quick, .full] : [.nearest, .quick]
    for stage in stages {
      let due = progress.ordered(mutants).filter { _, mutant in
        let result = progress.result(mutant)
        return !result.isFound && !result.tried.contains(stage.plan ?? "quick")
      }
      guard !due.isEmpty else { continue }
      say("\(stage): \(due.count) mutants to try")
      try run(stage, due, isArgued)
    }
  }

  private func run(_ stage: MutantTrials.Stage, _ due: [(Int, Mutant)], _ isArgued: @Sendable (MutantResult) -> Bool)
    throws
  {
    var ready: Set<String> = []
    for engine in trials.modules.all {
      let now = due.filter { trials.engines(for: $0.1).contains(engine) }
      guard !now.isEmpty else { continue }
      let start = Date()
      _ = try trials.controls.coverage(engine)
      let seconds = Int(Date().timeIntervalSince(start))
      if seconds > 0 { say("control: \(engine) passes the quick plan without a mutant, \(seconds) s") }
      ready.insert(engine)
      try concurrently(now, jobs) { [ready] number, mutant in
        let steps = try trials.steps(number, mutant, on: ready, isArgued(progress.result(mutant)) ? .nearest : stage)
        for step in steps {
          let done = progress.result(mutant).trials
          if done.contains(where: \.isFound) { break }
          if done.contains(where: { $0.engine == step.engine && $0.part == step.part }) { continue }
          try progress.add(trials.trial(number, step), mutant)
        }
        // The other engines and cases are still to come, unless one of those before has found it.
        let isFound = progress.result(mutant).isFound
        guard isFound || ready.isSuperset(of: trials.engines(for: mutant)) else { return }
        guard let plan = isFound ? stage.plan ?? "quick" : stage.plan else { return }
        if try progress.end(plan, mutant) { progress.tell(mutant) }
      }
    }
  }
}
