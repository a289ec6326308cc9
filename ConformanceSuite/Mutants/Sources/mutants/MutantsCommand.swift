import ArgumentParser
import Foundation
import MutantPlanting
import Synchronization

@main
struct MutantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scripts/mutants",
    abstract: "Plants one-line mutants in the engines' code, in one build, and tells which cases of the kit find them.",
    discussion: """
      The package's sources are not touched: a copy is built in a folder of its own, where what was found is kept at once, \
      so that the same command goes on after an interruption. Each area of the kit is run without a mutant first, and notes \
      which cases come to which places; a mutant is then tried with the cases that come to its place, the quickest first, \
      until one finds it, and with the others of their areas in the end. After a change of the kit alone, only what \
      survived is tried again. What docs/conformance/mutants.json says that a case found, after a run in another checkout \
      or of other sources, is tried with that case first. A mutant whose argument is known is tried with the nearest cases \
      only. Exit code: 0; with --strict 1 when a survivor has no argument.
      """)

  @Option(help: "How many mutants.")
  var count = 160
  @Option(help: "Other seeds choose other mutants.")
  var seed: UInt64 = 1
  @Option(
    name: [.customLong("only"), .customLong("mutant")],
    help: ArgumentHelp("Only the mutant with this id, chosen or not. May be repeated.", valueName: "id"))
  var only: [String] = []
  @Option(
    name: .customLong("case"),
    help: ArgumentHelp(
      "Tells only whether this case finds the mutants, in all its variants. May be repeated.", valueName: "id"))
  var cases: [String] = []
  @Flag(help: "With --case, keeps what the case finds as if a run had found it.")
  var keep = false
  @Option(help: ArgumentHelp("With --case, on this engine and not on those that have the code. May be repeated."))
  var engine: [String] = []
  @Option(help: ArgumentHelp("Only mutants of files whose paths contain this.", valueName: "text"))
  var file: String?
  @Flag(help: "Tries what the quick plan does not find with the whole plan.")
  var full = false
  @Flag(help: "Fails when a survivor has no argument in ConformanceSuite/Mutants/without-effect.txt.")
  var strict = false
  @Flag(help: "Forgets what was found by earlier runs.")
  var fresh = false
  @Flag(help: "Lists the mutants and ends; nothing is built.")
  var list = false
  @Flag(help: "Writes the report of what was found until now, and ends; nothing is built or run.")
  var report = false
  @Flag(help: "Builds the copy without optimization, which is sooner done; every run of the kit takes longer.")
  var unoptimized = false
  @Option(help: "How many runs of the kit at once; one for each processor when it is left out.")
  var jobs: Int?
  @Option(help: "How many cases run at once in each run of the kit.")
  var kitJobs = 2
  @Option(help: ArgumentHelp("Where the copy is built.", valueName: "folder"))
  var folder: String?
  @Option(help: ArgumentHelp("With --case, a tool that was built elsewhere with these mutants.", valueName: "path"))
  var tool: String?
  @Option(help: .hidden)
  var root: String = FileManager.default.currentDirectoryPath

  func validate() throws {
    if count < 1 { throw ValidationError("--count is at least 1") }
    if tool != nil, cases.isEmpty { throw ValidationError("--tool is for --case") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1") }
    if kitJobs < 1 { throw ValidationError("--kit-jobs is at least 1") }
  }

  func run() throws {
    let signals = RunningPrograms.shared.endOnSignals()
    defer {
      for signal in signals { signal.cancel() }
      try? FileManager.default.removeItem(at: RunningPrograms.folder)
    }
    let root = URL(fileURLWithPath: root)
    let folder = folder.map { URL(fileURLWithPath: $0) } ?? root.appending(path: ".build-mutants")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = PackageCopy(root: root, folder: folder.appending(path: "package"))
    let sources = try copy.sources()
    let all = try candidates(sources)
    let order = try order(all)
    if list {
      for mutant in order.prefix(count) { say(Self.line(mutant)) }
      return
    }
    let arguments = try Arguments(root.appending(path: "ConformanceSuite/Mutants/without-effect.txt"))
    let stateFile = folder.appending(path: "state.json")
    if fresh { try? FileManager.default.removeItem(at: stateFile) }
    var state = RunState.read(stateFile, sources: sources, arguments)
    let ending = Ending(
      seed: seed, count: count, isFull: full, arguments: arguments,
      stale: file == nil && only.isEmpty ? arguments.stale(all) : [])
    if report {
      let known = order.filter { !state.refused.contains($0.id) }.prefix(count)
      let refused = known.last.flatMap(order.firstIndex).map { $0 + 1 - known.count } ?? 0
      return try ending.end(known.map(state.result), refused: refused, root: isWhole ? root : nil)
    }

    let planted =
      try tool.map { MutantBuild.planted(order, state.refused, count, tool: $0) }
      ?? planted(order, sources, copy, folder, &state, stateFile)
    for id in only where state.refused.contains(id) { say("\(id): the compiler refuses it") }
    let numbers = planted.mutants.filter { only.isEmpty || only.contains($0.value.id) }.keys.sorted()
    let mutants = numbers.compactMap { number in planted.mutants[number].map { (number, $0) } }
    let progress = Progress(state: state, stateFile: stateFile, total: numbers.count)
    if !cases.isEmpty { return try tell(mutants, planted.tool, keep ? progress : nil) }
    let name = state.name(planted.mutants, isOptimized: !unoptimized)
    let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    let controls = Controls(
      tool: planted.tool, folder: folder.appending(path: "coverage-\(name)"), areas: try Self.areas(sources), jobs: jobs
    )
    let trials = MutantTrials(tool: planted.tool, controls: controls, kitJobs: kitJobs)
    RunningPrograms.shared.atInterruption {
      say(ending.report(mutants.map { progress.result($0.1) }, refused: planted.refused).summary)
    }
    try confirm(mutants, MutantReport.read(root), trials, progress, jobs)
    try tryAll(mutants, arguments, trials, progress, jobs)
    try ending.end(mutants.map { progress.result($0.1) }, refused: planted.refused, root: isWhole ? root : nil)
    if strict, !ending.report(mutants.map { progress.result($0.1) }, refused: 0).unexplained.isEmpty {
      throw ExitCode(1)
    }
  }

  /// The tool with the mutants: the one that was built before, if it has just these.
  private func planted(
    _ order: [Mutant], _ sources: [String: String], _ copy: PackageCopy, _ folder: URL, _ state: inout RunState,
    _ stateFile: URL
  ) throws -> MutantBuild.Planted {
    let known = MutantBuild.planted(order, state.refused, count, tool: "")
    let name = state.name(known.mutants, isOptimized: !unoptimized)
    if let tool = state.tools[name], FileManager.default.fileExists(atPath: tool) {
      return MutantBuild.planted(order, state.refused, count, tool: tool)
    }
    let build = MutantBuild(copy: copy, isOptimized: !unoptimized, log: say) { [state] refused in
      var state = state
      state.refused = refused
      try state.write(stateFile)
    }
    var planted = try build.build(order, count: count, sources: sources, known: &state.refused)
    // A copy, which lasts when the kit is built anew while mutants are tried.
    let built = state.name(planted.mutants, isOptimized: !unoptimized)
    let tool = folder.appending(path: "tools/\(built)/quarry-conformance")
    try FileManager.default.createDirectory(at: tool.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? FileManager.default.removeItem(at: tool)
    try FileManager.default.copyItem(atPath: planted.tool, toPath: tool.path)
    planted.tool = tool.path
    state.tools[built] = tool.path
    try state.write(stateFile)
    return planted
  }

  /// A part of a run is for the one who asked for it.
  private var isWhole: Bool { only.isEmpty && file == nil }

  /// The names of the kit's areas, as its source has them.
  private static func areas(_ sources: [String: String]) throws -> [String] {
    let file = "ConformanceSuite/Sources/QuarryConformance/Kit/Core/ConformanceArea+All.swift"
    let areas = (sources[file] ?? "").matches(of: /ConformanceArea\(\s*"([A-Z]+)"/).map { String($0.output.1) }
    guard !areas.isEmpty else { throw Problem("\(file) names no area") }
    return areas
  }

  /// All mutants of the files that are planted.
  private func candidates(_ sources: [String: String]) throws -> [Mutant] {
    let paths = sources.keys.filter { PackageCopy.isPlanted($0) && (file.map($0.contains) ?? true) }.sorted()
    let found = Mutex<[String: [Mutant]]>([:])
    DispatchQueue.concurrentPerform(iterations: paths.count) { place in
      let mutants = MutantFinder.mutants(in: sources[paths[place]] ?? "", file: paths[place])
      found.withLock { $0[paths[place]] = mutants }
    }
    let all = found.withLock { found in paths.flatMap { found[$0] ?? [] } }
    guard !all.isEmpty else { throw Problem("no file has a mutant") }
    return all
  }

  private func order(_ all: [Mutant]) throws -> [Mutant] {
    let order = MutantChoice(seed: seed).order(all)
    for id in only where !all.contains(where: { $0.id == id }) { throw Problem("there is no mutant \(id)") }
    // Those that are chosen anyhow are in the build that is there.
    let others = Set(only).subtracting(order.prefix(count).map(\.id))
    guard !others.isEmpty else { return order }
    return MutantChoice(seed: seed).order(all, first: all.filter { others.contains($0.id) })
  }

  private static func line(_ mutant: Mutant) -> String {
    "\(mutant.id) \(mutant.file):\(mutant.line): \(mutant.change)"
  }

  // MARK: - Trying

  /// Tries what an earlier report says that a case found with that case alone, which takes a moment.
  private func confirm(
    _ mutants: [(Int, Mutant)], _ report: MutantReport?, _ trials: MutantTrials, _ progress: Progress, _ jobs: Int
  ) throws {
    let due = mutants.compactMap { number, mutant -> (Int, Mutant, Trial)? in
      let result = progress.result(mutant)
      guard result.trials.isEmpty, let finding = report?.finding(like: result), finding.failedRun != nil else {
        return nil
      }
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

  /// Tries every mutant, several at once, and keeps each result as it comes.
  private func tryAll(
    _ mutants: [(Int, Mutant)], _ arguments: Arguments, _ trials: MutantTrials, _ progress: Progress, _ jobs: Int
  ) throws {
    // The quick plan for all before the whole plan for its survivors: an interrupted run has the cheap answers.
    let stages: [MutantTrials.Stage] = full ? [.nearest, .quick, .full] : [.nearest, .quick]
    for stage in stages {
      let due = mutants.filter { _, mutant in
        let result = progress.result(mutant)
        return !result.isFound && !result.tried.contains(stage.plan ?? "quick")
      }
      guard !due.isEmpty else { continue }
      say("\(stage): \(due.count) mutants to try")
      var ready: Set<String> = []
      for engine in MutantTrials.allEngines {
        guard due.contains(where: { MutantTrials.engines(for: $0.1.file).contains(engine) }) else { continue }
        let start = Date()
        _ = try trials.controls.coverage(engine)
        let seconds = Int(Date().timeIntervalSince(start))
        if seconds > 0 { say("control: \(engine) passes the quick plan without a mutant, \(seconds) s") }
        ready.insert(engine)
        let now = due.filter { MutantTrials.engines(for: $0.1.file).contains(engine) }
        try concurrently(now, jobs) { [ready] number, mutant in
          let isArgued = arguments.argument(for: progress.result(mutant)) != nil
          for step in try trials.steps(number, mutant.file, on: ready, isArgued ? .nearest : stage) {
            let done = progress.result(mutant).trials
            if done.contains(where: \.isFound) { break }
            if done.contains(where: { $0.engine == step.engine && $0.part == step.part }) { continue }
            try progress.add(trials.trial(number, step), mutant)
          }
          // The other engines and cases are still to come, unless one of those before has found it.
          let isFound = progress.result(mutant).isFound
          guard isFound || ready.isSuperset(of: MutantTrials.engines(for: mutant.file)) else { return }
          guard let plan = isFound ? stage.plan ?? "quick" : stage.plan else { return }
          if try progress.end(plan, mutant) { progress.tell(mutant) }
        }
      }
    }
  }

  /// Whether the cases that were asked for find the mutants.
  private func tell(_ mutants: [(Int, Mutant)], _ tool: String, _ progress: Progress?) throws {
    for (number, mutant) in mutants {
      say("\(Self.line(mutant))")
      for engine in engine.isEmpty ? MutantTrials.engines(for: mutant.file) : engine {
        var trial = try tried(number, engine, tool, "quick", ["--quick"])
        if !trial.isFound { trial = try tried(number, engine, tool, "full", ["--kills", "3"]) }
        let words = [trial.isFound ? "FOUND by \(trial.finder), \(trial.plan) plan" : "not found", trial.message ?? ""]
        say("    \(engine): \(words.filter { !$0.isEmpty }.joined(separator: ": ")), \(trial.seconds) s")
        guard let progress, trial.isFound, !progress.result(mutant).isFound else { continue }
        trial.isRepeated = try tried(number, engine, tool, trial.plan, trial.plan == "quick" ? ["--quick"] : []).isFound
        try progress.add(trial, mutant)
        if trial.isFound, try progress.end(trial.plan, mutant) { progress.tell(mutant) }
      }
    }
  }

  private func tried(
    _ number: Int, _ engine: String, _ tool: String, _ plan: String, _ options: [String]
  ) throws -> Trial {
    let kit = KitRun(tool: tool, engine: engine, plan: plan, jobs: kitJobs)
    return try kit.run(mutant: number, cases: cases, options: options, within: MutantTrials.limits(60))
  }
}
