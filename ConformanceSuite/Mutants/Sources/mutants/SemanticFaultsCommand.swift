import ArgumentParser
import Foundation
import MutantPlanting

struct SemanticFaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scripts/semantic-faults",
    abstract: "Plants the faults of ConformanceSuite/Mutants/Faults in one build, and tells which cases find them.",
    discussion: """
      The package's sources are not touched: a copy is built in a folder of its own, where each result is kept at once, so \
      that the same command continues after an interruption. A fault is tried with the cases that come to its place, the \
      quickest first, until one finds it. When the sources have changed, all are tried again: first with the case that \
      found the fault before, and those that survived come last. The report goes to docs/conformance/faults.md. Exit code: \
      1 when a list has a defect, or with --strict when a fault survives that no entry expects to survive.
      """)

  @Flag(help: "Lists the faults and ends; nothing is built.")
  var list = false
  @Flag(help: "Checks that every fault can be planted, and ends; nothing is built.")
  var check = false
  @Option(help: ArgumentHelp("Only the fault with this name. May be repeated.", valueName: "id"))
  var only: [String] = []
  @Option(help: ArgumentHelp("Only the faults of this list. May be repeated.", valueName: "area"))
  var area: [String] = []
  @Option(help: ArgumentHelp("Only on this engine. May be repeated.", valueName: "engine"))
  var engine: [String] = []
  @Option(
    name: .customLong("case"),
    help: ArgumentHelp("Tells only whether this case finds the faults. May be repeated.", valueName: "id"))
  var cases: [String] = []
  @Flag(help: "Fails when a fault survives that no entry expects to survive.")
  var strict = false
  @OptionGroup var options: PlantingOptions

  func run() throws {
    try options.endingPrograms { try plant() }
  }

  private func plant() throws {
    let root = options.rootFolder
    let folder = options.buildFolder(".build-faults")
    let copy = PackageCopy(root: root, folder: folder.appending(path: "package"))
    let sources = try copy.sources()
    let faults = try SemanticFaultLists.read(root)
    let defects = try SemanticFaultLists.defects(faults, sources, root)
    for defect in defects { say("error: \(defect)") }
    guard defects.isEmpty else { throw ExitCode(1) }
    // Every fault is planted, whichever are tried, so that one build serves all.
    let planted = faults.compactMap { fault in fault.mutant(in: sources[fault.file] ?? "").map { (fault, $0) } }
    for id in only where !faults.contains(where: { $0.id == id }) { throw Problem("there is no fault \(id)") }
    if check { return say("\(faults.count) faults can be planted") }
    if list {
      for (fault, mutant) in planted where isAsked(fault) {
        say("\(fault.area) \(fault.id) \(mutant.file):\(mutant.line)")
        say("    \(fault.clauses.joined(separator: ", ")): \(fault.breaks)")
      }
      return
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try run(planted, sources, copy, root, folder)
  }

  private func isAsked(_ fault: SemanticFault) -> Bool {
    (only.isEmpty || only.contains(fault.id)) && (area.isEmpty || area.contains(fault.area))
  }

  private func run(
    _ faults: [(SemanticFault, Mutant)], _ sources: [String: String], _ copy: PackageCopy, _ root: URL, _ folder: URL
  ) throws {
    let stateFile = options.stateFile(in: folder)
    var state = RunState.read(stateFile, sources: sources, Arguments())
    let summary = FaultRunSummary(faults: faults, isFull: options.full)
    // A part of a run is not written down.
    let isWhole = only.isEmpty && area.isEmpty && engine.isEmpty
    if options.report { return try summary.end(state.result, refused: state.refused, root: isWhole ? root : nil) }

    let known = FaultReport.read(root)
    let build = ToolBuild(
      order: faults.map(\.1), count: faults.count, sources: sources, copy: copy, folder: folder,
      isOptimized: !options.unoptimized, stateFile: stateFile)
    // The compiler may take another text of a fault that it refused.
    if !build.isBuilt(state) { state.refused = [] }
    let planted = try build.planted(&state)
    for id in state.refused.sorted() { say("warning: the compiler refuses \(id)") }
    let asked = Set(faults.map(\.0).filter(isAsked).map(\.id))
    let numbers = planted.mutants.filter { asked.contains($0.value.id) }.keys.sorted()
    let mutants = numbers.compactMap { number in planted.mutants[number].map { (number, $0) } }
    let modules = try EngineModules(sources)
    let progress = Progress(state: state, stateFile: stateFile, total: numbers.count)
    if !cases.isEmpty {
      let telling = CaseTelling(
        tool: planted.tool, cases: cases, engines: engine, kitJobs: options.kitJobs, modules: modules)
      return try telling.tell(mutants, nil)
    }
    let name = state.name(planted.mutants, isOptimized: !options.unoptimized)
    let controls = Controls(
      tool: planted.tool, folder: folder.appending(path: "coverage-\(name)"), areas: try Controls.areas(sources),
      jobs: options.runs)
    let trials = MutantTrials(
      tool: planted.tool, modules: modules, controls: controls, kitJobs: options.kitJobs, onlyEngines: Set(engine),
      casesOfClauses: try CaseClauses(planted.tool, folder, options.kitJobs).cases(of: faults.map(\.0)))
    let run = MutantRun(mutants: mutants, trials: trials, progress: progress, jobs: options.runs, isFull: options.full)
    let refused = state.refused
    RunningPrograms.shared.atInterruption { say(summary.report(progress.result, refused: refused).summary) }
    try run.confirm { known?.finding(like: $0) }
    try run.tryAll { _ in false }
    try summary.end(progress.result, refused: refused, root: isWhole ? root : nil)
    if strict, !summary.report(progress.result, refused: refused).unexpected.isEmpty { throw ExitCode(1) }
  }
}
