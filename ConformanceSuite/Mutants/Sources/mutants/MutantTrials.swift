import Foundation
import MutantPlanting

/// Tries mutants with the kit: with the quick plan's cases that come to the mutant's place, on each engine that has the
/// code, then with the whole plan if that is asked for.
struct MutantTrials: Sendable {
  /// One part of what is tried. Parts that find most in the least time come first.
  struct Step: Sendable {
    let engine: String
    let part: Trial.Part
    /// Nothing when there is none to run.
    var runs: [CaseRuns] = []
  }

  /// Cases that one process runs.
  struct CaseRuns: Sendable {
    let cases: [String]
    let options: [String]
    /// How long they take without a mutant, one after another.
    let seconds: Double
  }

  /// Each is ended for all mutants before the next one is begun: most are found by the first, which takes seconds, and those
  /// that are not are known early.
  enum Stage {
    case nearest, quick, full

    /// What is tried of a mutant whose clauses are known ends with the cases that come to its place and those of its clauses.
    func parts(hasClauses: Bool) -> [Trial.Part] {
      switch (self, hasClauses) {
      case (.nearest, false): [.nearest]
      case (.nearest, true): [.nearest, .clauses]
      case (_, false): [.nearest, .near, .sealed, .far]
      case (_, true): [.nearest, .clauses, .near, .sealed]
      }
    }
    /// The plan that has been tried when the stage is over.
    var plan: String? {
      switch self {
      case .nearest: nil
      case .quick: "quick"
      case .full: "full"
      }
    }
  }

  let tool: String
  let modules: EngineModules
  let controls: Controls
  let kitJobs: Int
  /// No other engine is tried, unless it is empty.
  var onlyEngines: Set<String> = []
  /// The cases of the clauses that a mutant breaks, by its id. Runs in processes of their own are not among what is known to
  /// reach a place.
  var casesOfClauses: [String: [String]] = [:]

  /// The engines on which the mutant is tried by this run.
  func engines(for mutant: Mutant) -> [String] {
    modules.engines(for: mutant).filter { onlyEngines.isEmpty || onlyEngines.contains($0) }
  }

  /// What is tried of a mutant, in order.
  ///
  /// - Parameter ready: The engines whose controls have been run.
  func steps(_ number: Int, _ mutant: Mutant, on ready: Set<String>, _ stage: Stage) throws -> [Step] {
    let engines = try engines(for: mutant).filter(ready.contains).map { ($0, try controls.coverage($0)) }
    let ofClauses = casesOfClauses[mutant.id] ?? []
    let quick = stage.parts(hasClauses: !ofClauses.isEmpty).flatMap { part in
      engines.map { engine, coverage in
        Step(engine: engine, part: part, runs: Self.runs(part, coverage, coverage.chosen(number), ofClauses))
      }
    }
    guard stage == .full else { return quick }
    let isReached = engines.contains { $0.1.reaches(number) }
    return quick
      + engines.map { engine, coverage in
        let chosen = coverage.chosen(number)
        let cases = isReached ? chosen.near + chosen.far + chosen.sealed : Array(Set(coverage.runs.map(\.testCase)))
        // Some variants take longer than the case as it is.
        let seconds = 12 * coverage.seconds(cases, isSealed: false)
        let runs = cases.isEmpty ? [] : [CaseRuns(cases: cases, options: [], seconds: seconds)]
        return Step(engine: engine, part: .whole, runs: runs)
      }
  }

  /// The nearest cases are so few that a process has run them in about this time.
  private static let nearestSeconds = 3.0
  /// The same, of the cases of the clauses that are broken.
  private static let clauseSeconds = 60.0

  private static func runs(
    _ part: Trial.Part, _ coverage: Coverage, _ chosen: Coverage.Chosen, _ casesOfClauses: [String]
  ) -> [CaseRuns] {
    let sealedCases = coverage.sealedCases
    var seconds = 0.0
    let first = chosen.near.prefix { testCase in
      seconds += coverage.seconds([testCase], isSealed: false)
      return seconds < nearestSeconds
    }
    let nearest = max(first.count, min(1, chosen.near.count))
    func plain(_ cases: some Collection<String>) -> [CaseRuns] {
      // Where the plan's second variant of a case is the sealed one, only the case as it is: sealing changes no more.
      let groups =
        [(cases.filter { !sealedCases.contains($0) }, [])]
        + [(cases.filter(sealedCases.contains), ["--variant", "fresh"])]
      return groups.filter { !$0.0.isEmpty }.map { cases, options in
        CaseRuns(
          cases: cases, options: ["--quick"] + options, seconds: coverage.seconds(cases, isSealed: false))
      }
    }
    switch part {
    case .nearest: return plain(chosen.near.prefix(nearest))
    case .near: return plain(chosen.near.dropFirst(nearest))
    case .clauses:
      let cases = coverage.quickest(casesOfClauses, within: clauseSeconds)
      guard !cases.isEmpty else { return [] }
      return [
        CaseRuns(cases: cases, options: ["--quick", "--level", "L4"], seconds: clauseSeconds)
      ]
    case .far: return plain(chosen.far)
    case .sealed:
      guard !chosen.sealed.isEmpty else { return [] }
      return [
        CaseRuns(
          cases: chosen.sealed, options: ["--quick", "--variant", "encrypted"],
          seconds: coverage.seconds(chosen.sealed, isSealed: true))
      ]
    case .whole: return []
    }
  }

  /// Runs a step until something finds the mutant.
  func trial(_ number: Int, _ step: Step) throws -> Trial {
    var last = Trial(
      engine: step.engine, plan: step.part == .whole ? "full" : "quick", part: step.part, end: .unreached, seconds: 0)
    for runs in step.runs {
      var trial = try run(number, step, runs)
      trial.seconds += last.seconds
      last = trial
      if trial.isFound { return trial }
    }
    return last
  }

  private func run(_ number: Int, _ step: Step, _ runs: CaseRuns) throws -> Trial {
    let kit = KitRun(tool: tool, engine: step.engine, plan: step.part == .whole ? "full" : "quick", jobs: kitJobs)
    let limits = Self.limits(runs.seconds)
    var trial = try kit.run(mutant: number, cases: runs.cases, options: runs.options, within: limits)
    trial.part = step.part
    guard trial.end == .failed || trial.end == .hang, let failed = trial.failedRun else { return trial }
    // A failure that does not come again may be the machine's: first the case alone, then all once more, because a case
    // may see what another left in the process.
    let alone = KitRun(tool: tool, engine: step.engine, plan: "full", jobs: 1)
    var again = try alone.run(
      mutant: number, cases: [failed.testCase], options: ["--variant", failed.variant, "--kills", "3"],
      within: Self.limits(10))
    if !again.isFound {
      again = try kit.run(mutant: number, cases: runs.cases, options: runs.options, within: limits)
    }
    trial.isRepeated = again.isFound
    trial.seconds += again.seconds
    return trial
  }

  /// - Parameter seconds: How long the cases take without a mutant.
  static func limits(_ seconds: Double) -> Program.Limits {
    Program.Limits(clock: seconds * 20 + 600, processor: seconds * 5 + 30, idle: 60)
  }

  /// Runs the case that is known to have found the mutant, elsewhere or before the sources were changed.
  ///
  /// - Returns: The finding, as the trial that it was; nil when the case does not find the mutant any more.
  func confirmed(_ number: Int, _ known: Trial) throws -> Trial? {
    guard let failed = known.failedRun else { return nil }
    let kit = KitRun(tool: tool, engine: known.engine, plan: known.plan, jobs: 1)
    let options = (known.plan == "quick" ? ["--quick"] : []) + ["--variant", failed.variant]
    var trial = try kit.run(
      mutant: number, cases: [failed.testCase], options: options, within: Self.limits(10))
    guard trial.end == .failed || trial.end == .hang else { return nil }
    trial.part = known.part
    trial.isRepeated = true
    return trial
  }
}
