import Foundation
import MutantPlanting

/// Tries mutants with the kit: the quick plan on each engine that has the code, then the whole one if that is asked for.
struct MutantTrials: Sendable {
  let tool: String
  /// The ids of all mutants that are planted, by number.
  let ids: [Int: String]
  let controls: Controls
  let folder: URL
  let kitJobs: Int

  /// The engines on which code is tried, those that are quickest first: code that all engines share with one of each kind.
  /// Rows from before a property was added, which the flat file keeps as they were, are there only where a store persists.
  static func engines(for file: String) -> [String] {
    let folder = file.split(separator: "/").dropFirst().first ?? ""
    return switch folder {
    case "QuarryKeyValue": ["memory", "flat-file", "lmdb"]
    case "QuarryTree": ["memory", "flat-file"]
    case "QuarrySystem": ["flat-file", "lmdb", "sqlite"]
    case "QuarryMemory": ["memory", "memory:name"]
    case "QuarryFlatFile": ["flat-file"]
    case "QuarrySQL", "QuarrySQLite": ["sqlite"]
    case "QuarryLMDB": ["lmdb"]
    default: ["memory", "sqlite", "flat-file"]
    }
  }

  /// The trials that are still to be made of a mutant, in order.
  static func due(_ file: String, _ done: [Trial], full: Bool) -> [(engine: String, plan: String)] {
    guard !done.contains(where: \.isFound) else { return [] }
    let plans = full ? ["quick", "full"] : ["quick"]
    return plans.flatMap { plan in engines(for: file).map { ($0, plan) } }
      .filter { due in !done.contains { $0.engine == due.0 && $0.plan == due.1 } }
  }

  func kit(_ engine: String, _ plan: String) -> KitRun {
    KitRun(tool: tool, engine: engine, plan: plan, jobs: kitJobs)
  }

  func control(_ engine: String, _ plan: String) throws -> Controls.Control {
    try controls.control(kit(engine, plan), ids, folder)
  }

  func trial(_ number: Int, _ engine: String, _ plan: String) throws -> Trial {
    let kit = kit(engine, plan)
    let control = try control(engine, plan)
    guard let id = ids[number], control.reached.contains(id) else {
      return Trial(engine: engine, plan: plan, end: .unreached, seconds: 0)
    }
    // The machine may be busier than it was during the control.
    var trial = try kit.run(mutant: number, within: control.seconds * 10 + 120)
    if trial.end == .failed, let words = trial.failed?.split(separator: " "), words.count == 2 {
      // A failure that does not come again may be the machine's. The whole plan has every variant.
      let alone = KitRun(tool: tool, engine: engine, plan: "full", jobs: 1)
      let again = try alone.run(
        mutant: number, options: ["--case", "\(words[0])", "--variant", "\(words[1])"], within: 300)
      trial.isRepeated = again.isFound
    }
    return trial
  }
}
