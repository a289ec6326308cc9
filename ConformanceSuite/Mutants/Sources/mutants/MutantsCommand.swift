import ArgumentParser
import Foundation
import MutantPlanting
import Synchronization

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
  @Flag(help: "Fails when a survivor has no argument in ConformanceSuite/Mutants/without-effect.txt.")
  var strict = false
  @Flag(help: "Lists the mutants and ends; nothing is built.")
  var list = false
  @Option(help: ArgumentHelp("With --case, a tool that was built elsewhere with these mutants.", valueName: "path"))
  var tool: String?
  @OptionGroup var options: PlantingOptions

  func validate() throws {
    if count < 1 { throw ValidationError("--count is at least 1") }
    if tool != nil, cases.isEmpty { throw ValidationError("--tool is for --case") }
  }

  func run() throws {
    try options.endingPrograms { try plant() }
  }

  private func plant() throws {
    let root = options.rootFolder
    let folder = options.buildFolder(".build-mutants")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = PackageCopy(root: root, folder: folder.appending(path: "package"))
    let sources = try copy.sources()
    let modules = try EngineModules(sources)
    let all = try candidates(sources, modules)
    let order = try order(all)
    if list {
      for mutant in order.prefix(count) { say(Self.line(mutant)) }
      return
    }
    let arguments = try Arguments(root.appending(path: "ConformanceSuite/Mutants/without-effect.txt"))
    let stateFile = options.stateFile(in: folder)
    var state = RunState.read(stateFile, sources: sources, arguments)
    let summary = RunSummary(
      seed: seed, count: count, isFull: options.full, arguments: arguments,
      stale: file == nil && only.isEmpty ? arguments.stale(all) : [])
    if options.report {
      let known = order.filter { !state.refused.contains($0.id) }.prefix(count)
      let refused = known.last.flatMap(order.firstIndex).map { $0 + 1 - known.count } ?? 0
      return try summary.end(known.map(state.result), refused: refused, root: isWhole ? root : nil)
    }

    let build = ToolBuild(
      order: order, count: count, sources: sources, copy: copy, folder: folder, isOptimized: !options.unoptimized,
      stateFile: stateFile)
    let planted =
      try tool.map { MutantBuild.planted(order, state.refused, count, tool: $0) } ?? build.planted(&state)
    for id in only where state.refused.contains(id) { say("\(id): the compiler refuses it") }
    let numbers = planted.mutants.filter { only.isEmpty || only.contains($0.value.id) }.keys.sorted()
    let mutants = numbers.compactMap { number in planted.mutants[number].map { (number, $0) } }
    let progress = Progress(state: state, stateFile: stateFile, total: numbers.count)
    if !cases.isEmpty {
      let telling = CaseTelling(
        tool: planted.tool, cases: cases, engines: engine, kitJobs: options.kitJobs, modules: modules)
      return try telling.tell(mutants, keep ? progress : nil)
    }
    let name = state.name(planted.mutants, isOptimized: !options.unoptimized)
    let controls = Controls(
      tool: planted.tool, folder: folder.appending(path: "coverage-\(name)"), areas: try Controls.areas(sources),
      jobs: options.runs)
    let run = MutantRun(
      mutants: mutants,
      trials: MutantTrials(tool: planted.tool, modules: modules, controls: controls, kitJobs: options.kitJobs),
      progress: progress, jobs: options.runs, isFull: options.full)
    RunningPrograms.shared.atInterruption {
      say(summary.report(mutants.map { progress.result($0.1) }, refused: planted.refused).summary)
    }
    let report = MutantReport.read(root)
    try run.confirm { report?.finding(like: $0) }
    try run.tryAll { arguments.argument(for: $0) != nil }
    try summary.end(mutants.map { progress.result($0.1) }, refused: planted.refused, root: isWhole ? root : nil)
    if strict, !summary.report(mutants.map { progress.result($0.1) }, refused: 0).unexplained.isEmpty {
      throw ExitCode(1)
    }
  }

  /// A part of a run is for the one who asked for it.
  private var isWhole: Bool { only.isEmpty && file == nil }

  /// All mutants of the files that are planted.
  private func candidates(_ sources: [String: String], _ modules: EngineModules) throws -> [Mutant] {
    let paths = sources.keys.filter { modules.isPlanted($0) && (file.map($0.contains) ?? true) }.sorted()
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
}
