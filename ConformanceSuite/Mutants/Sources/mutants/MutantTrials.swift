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

  let tool: String
  let controls: Controls
  let kitJobs: Int

  /// The engines on which code is tried, those that are quickest first: code that all engines share with one of each kind.
  /// Rows from before a property was added, which the flat file keeps as they were, are there only where a store persists.
  static func engines(for file: String) -> [String] {
    let folder = file.split(separator: "/").dropFirst().first ?? ""
    return switch folder {
    case "QuarryKeyValue": ["memory", "flat-file", "lmdb"]
    case "QuarryTree": ["memory", "flat-file"]
    case "QuarrySystem": ["flat-file", "lmdb", "sqlite"]
    case "QuarryEncryption": ["flat-file", "lmdb", "sqlite"]
    case "QuarryMemory": ["memory", "memory:name"]
    case "QuarryFlatFile": ["flat-file"]
    case "QuarrySQL", "QuarrySQLite": ["sqlite"]
    case "QuarryLMDB", "QuarrySealed": ["lmdb"]
    default: ["memory", "sqlite", "flat-file"]
    }
  }

  /// Those for which most mutants wait come first.
  static let allEngines = ["memory", "sqlite", "flat-file", "lmdb", "memory:name"]

  /// What is tried of a mutant, in order.
  ///
  /// - Parameter ready: The engines whose controls have been run.
  func steps(_ number: Int, _ file: String, on ready: Set<String>, isFull: Bool) throws -> [Step] {
    let engines = try Self.engines(for: file).filter(ready.contains).map { ($0, try controls.coverage($0)) }
    let parts: [Trial.Part] = [.nearest, .near, .sealed, .far]
    let quick = parts.flatMap { part in
      engines.map { engine, coverage in
        Step(engine: engine, part: part, runs: Self.runs(part, coverage, coverage.chosen(number)))
      }
    }
    guard isFull else { return quick }
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

  private static func runs(_ part: Trial.Part, _ coverage: Coverage, _ chosen: Coverage.Chosen) -> [CaseRuns] {
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
    // The machine may be busier than it was during the control.
    let limit = runs.seconds * 10 + 180
    var trial = try kit.run(mutant: number, cases: runs.cases, options: runs.options, within: limit)
    trial.part = step.part
    guard trial.end == .failed || trial.end == .hang, let words = trial.failed?.split(separator: " "),
      words.count == 2
    else { return trial }
    // A failure that does not come again may be the machine's: first the case alone, then all once more, because a case
    // may see what another left in the process.
    let alone = KitRun(tool: tool, engine: step.engine, plan: "full", jobs: 1)
    var again = try alone.run(
      mutant: number, cases: [String(words[0])], options: ["--variant", "\(words[1])", "--kills", "3"], within: 300)
    if !again.isFound {
      again = try kit.run(mutant: number, cases: runs.cases, options: runs.options, within: limit)
    }
    trial.isRepeated = again.isFound
    trial.seconds += again.seconds
    return trial
  }
}
