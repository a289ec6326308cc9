import MutantPlanting

/// Whether some cases find mutants, in all their variants.
struct CaseTelling {
  let tool: String
  let cases: [String]
  /// In place of the engines that have the code, unless it is empty.
  let engines: [String]
  let kitJobs: Int
  let modules: EngineModules

  /// - Parameter progress: Keeps what is found as if a run had found it, unless it is nil.
  func tell(_ mutants: [(Int, Mutant)], _ progress: Progress?) throws {
    for (number, mutant) in mutants {
      say("\(mutant.id) \(mutant.file):\(mutant.line): \(mutant.change)")
      for engine in engines.isEmpty ? modules.engines(for: mutant) : engines {
        var trial = try tried(number, engine, "quick", ["--quick"])
        if !trial.isFound { trial = try tried(number, engine, "full", ["--kills", "3"]) }
        let words = [trial.isFound ? "FOUND by \(trial.finder), \(trial.plan) plan" : "not found", trial.message ?? ""]
        say("    \(engine): \(words.filter { !$0.isEmpty }.joined(separator: ": ")), \(trial.seconds) s")
        guard let progress, trial.isFound, !progress.result(mutant).isFound else { continue }
        trial.isRepeated = try tried(number, engine, trial.plan, trial.plan == "quick" ? ["--quick"] : []).isFound
        try progress.add(trial, mutant)
        if trial.isFound, try progress.end(trial.plan, mutant) { progress.tell(mutant) }
      }
    }
  }

  private func tried(_ number: Int, _ engine: String, _ plan: String, _ options: [String]) throws -> Trial {
    let kit = KitRun(tool: tool, engine: engine, plan: plan, jobs: kitJobs)
    return try kit.run(mutant: number, cases: cases, options: options, within: MutantTrials.limits(60))
  }
}
