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
      The package's sources are not touched: a copy is built in a folder of its own, where what was found is kept, so that \
      the same command goes on after an interruption. Exit code: 0; with --strict 1 when a survivor has no argument.
      """)

  @Option(help: "How many mutants.")
  var count = 160
  @Option(help: "Other seeds choose other mutants.")
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("Only the mutant with this id, chosen or not. May be repeated.", valueName: "id"))
  var only: [String] = []
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
  @Flag(help: "Builds the copy without optimization, which is sooner done; every run of the kit takes longer.")
  var unoptimized = false
  @Option(help: "How many runs of the kit at once; one for each processor when it is left out.")
  var jobs: Int?
  @Option(help: "How many cases run at once in each run of the kit.")
  var kitJobs = 2
  @Option(help: ArgumentHelp("Where the copy is built.", valueName: "folder"))
  var folder: String?
  @Option(help: .hidden)
  var root: String = FileManager.default.currentDirectoryPath

  func validate() throws {
    if count < 1 { throw ValidationError("--count is at least 1") }
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
    var state = RunState.read(stateFile, sources: sources)

    let build = MutantBuild(copy: copy, isOptimized: !unoptimized, log: say) { [state] refused in
      var state = state
      state.refused = refused
      try state.write(stateFile)
    }
    var refused = state.refused
    let planted = try build.build(order, count: count, sources: sources, known: &refused)
    state.refused = refused
    for id in only where state.refused.contains(id) { say("\(id): the compiler refuses it") }
    let ids = planted.mutants.mapValues(\.id)
    let fingerprint = String(Fingerprint.of(ids.sorted { $0.key < $1.key }.map(\.value)), radix: 16)
    if state.planted != fingerprint { state.controls = [:] }
    state.planted = fingerprint
    try state.write(stateFile)

    let results = try tried(planted, state, stateFile, folder)
    let shown = results.map { result in
      var result = result
      result.argument = arguments.argument(for: result)
      return result
    }
    let whole = MutantReport(seed: seed, count: count, refused: planted.refused, isFull: full, results: shown)
    try end(whole, arguments.stale(all.filter { _ in file == nil }), root)
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

  /// Tries every mutant, several at once, and keeps each result as it comes.
  private func tried(
    _ planted: MutantBuild.Planted, _ state: RunState, _ stateFile: URL, _ folder: URL
  ) throws -> [MutantResult] {
    let trials = MutantTrials(
      tool: planted.tool, ids: planted.mutants.mapValues(\.id), controls: Controls(state.controls), folder: folder,
      kitJobs: kitJobs)
    let numbers = planted.mutants.filter { only.isEmpty || only.contains($0.value.id) }.keys.sorted()
    let progress = Progress(state: state, stateFile: stateFile, total: numbers.count)
    // The quick plan for all before the whole plan for its survivors: an interrupted run has the cheap answers.
    for isFull in full ? [false, true] : [false] {
      let due = numbers.filter { number in
        guard let mutant = planted.mutants[number] else { return false }
        return !MutantTrials.due(mutant.file, progress.trials(mutant.id), full: isFull).isEmpty
      }
      guard !due.isEmpty else { continue }
      try runControls(due.compactMap { planted.mutants[$0]?.file }, isFull, trials, progress)
      say("\(isFull ? "whole" : "quick") plan: \(due.count) mutants to try")
      let next = Mutex(0)
      let problem = Mutex<(any Error)?>(nil)
      DispatchQueue.concurrentPerform(iterations: jobs ?? ProcessInfo.processInfo.activeProcessorCount) { _ in
        while true {
          let place = next.withLock { place in
            place += 1
            return place - 1
          }
          guard place < due.count, problem.withLock({ $0 == nil }), let mutant = planted.mutants[due[place]] else {
            return
          }
          do {
            try tryOne(mutant, due[place], isFull, trials, progress)
          } catch {
            problem.withLock { $0 = error }
          }
        }
      }
      if let problem = problem.withLock({ $0 }) { throw problem }
    }
    return numbers.compactMap { number in
      planted.mutants[number].map { mutant in progress.result(mutant) }
    }
  }

  private func runControls(
    _ files: [String], _ isFull: Bool, _ trials: MutantTrials, _ progress: Progress
  ) throws {
    let plan = isFull ? "full" : "quick"
    for engine in ["memory", "memory:name", "sqlite", "flat-file", "lmdb"] {
      guard files.contains(where: { MutantTrials.engines(for: $0).contains(engine) }) else { continue }
      let control = try trials.control(engine, plan)
      say("control: \(engine) passes the \(plan) plan without a mutant, \(control.seconds) s")
      try progress.keep(trials.controls.all)
    }
  }

  private func tryOne(
    _ mutant: Mutant, _ number: Int, _ isFull: Bool, _ trials: MutantTrials, _ progress: Progress
  ) throws {
    while let (engine, plan) = MutantTrials.due(mutant.file, progress.trials(mutant.id), full: isFull).first {
      try progress.add(trials.trial(number, engine, plan), mutant)
    }
    progress.tell(mutant)
  }

  /// The results so far, in memory and in the file.
  private final class Progress: Sendable {
    private let state: Mutex<RunState>
    private let told = Mutex(0)
    private let stateFile: URL
    private let total: Int

    init(state: RunState, stateFile: URL, total: Int) {
      self.state = Mutex(state)
      self.stateFile = stateFile
      self.total = total
    }

    func trials(_ id: String) -> [Trial] { state.withLock { $0.results[id]?.trials ?? [] } }

    func keep(_ controls: [String: Controls.Control]) throws {
      try state.withLock { state in
        state.controls = controls
        try state.write(stateFile)
      }
    }

    func add(_ trial: Trial, _ mutant: Mutant) throws {
      try state.withLock { state in
        state.results[mutant.id, default: Self.empty(mutant)].trials.append(trial)
        try state.write(stateFile)
      }
    }

    func result(_ mutant: Mutant) -> MutantResult {
      var result = Self.empty(mutant)
      result.trials = trials(mutant.id)
      return result
    }

    private static func empty(_ mutant: Mutant) -> MutantResult {
      MutantResult(
        id: mutant.id, file: mutant.file, line: mutant.line, lineText: mutant.lineText, change: mutant.change,
        trials: [])
    }

    func tell(_ mutant: Mutant) {
      let result = result(mutant)
      let place = told.withLock { told in
        told += 1
        return told
      }
      let end =
        result.finding.map { "found by \($0.finder), \($0.engine) \($0.plan), \($0.seconds) s" }
        ?? (result.isReached ? "SURVIVED" : "SURVIVED, never reached")
      say("[\(place)/\(total)] \(MutantsCommand.line(mutant))\n    \(end)")
    }
  }

  // MARK: - The end

  private func end(_ whole: MutantReport, _ stale: [Arguments.Entry], _ root: URL) throws {
    say("")
    for result in whole.unexplained {
      say("survivor: \(result.id) \(result.file):\(result.line): \(result.change)")
    }
    for entry in stale {
      say("warning: argued, but no longer in the code: \(entry.file): \(entry.line): \(entry.change)")
    }
    for result in whole.found where result.argument != nil {
      say("warning: argued to be without effect, but found: \(result.id) \(result.file):\(result.line)")
    }
    say(whole.summary)
    // A part of a run is for the one who asked for it.
    if only.isEmpty, file == nil {
      let path = root.appending(path: "docs/conformance/mutants")
      try Data(whole.markdown.utf8).write(to: path.appendingPathExtension("md"), options: .atomic)
      try whole.json().write(to: path.appendingPathExtension("json"), options: .atomic)
    }
    if strict, !whole.unexplained.isEmpty { throw ExitCode(1) }
  }
}
