import ArgumentParser
import Foundation
import QuarryBackend
import QuarryConformance
import QuarryData
import QuarryHarnesses

/// The laboratory of crashes at length: `scripts/crash-lab`.
struct CrashLabCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crash-lab", abstract: "Tries what losses of power and failing operations leave of a store.",
    discussion: """
      Workloads of few steps are done by a process whose operations on files are written down. From the record states are
      made that a loss of power could leave, each is opened, and has to be a committed state, with everything that had
      been acknowledged. Then operations fail, one at a time. What is wrong is printed with what shows it again.
      The exit code is 0 when nothing was found, 1 when something was, 3 when the laboratory cannot work here.
      """)

  @Argument(help: ArgumentHelp("The engine: sqlite:, file:, lmdb:, or all.", valueName: "engine"))
  var engine = "all"

  @Option(help: "How many steps a workload has at most.")
  var operations = 3

  @Option(help: "How many states are tried for each engine.")
  var states = 10_000

  @Option(help: "How many failing operations are tried for each engine.")
  var failures = 1_000

  @Option(help: "Chooses workloads and states.")
  var seed: UInt64 = 0

  @Flag(help: "The stores are encrypted.")
  var encrypted = false

  @Option(help: "What the stores are opened for: powerLoss, processCrash, none. Of less what the engine says is tried.")
  var durability = "powerLoss"

  @Flag(help: "Looks instead for faults that are planted in the records: the laboratory is tried, not the engine.")
  var faults = false

  @Option(help: "Only this workload, with --state, as a finding tells it.")
  var workload: String?

  @Option(help: "What is tried again of the workload. Repeated for crashes that follow each other.")
  var state: [String] = []

  @Option(help: ArgumentHelp("Where the stores are made: a folder in memory is quick.", valueName: "folder"))
  var folder: String?

  @Option(help: ArgumentHelp("Writes the table in Markdown.", valueName: "file"))
  var markdown: String?

  func validate() throws {
    if operations < 0 || operations > 4 { throw ValidationError("--operations is 0 to 4") }
    if states < 0 || failures < 0 { throw ValidationError("--states and --failures are 0 or more") }
    if BackendManifest.Durability(rawValue: durability) == nil {
      throw ValidationError("--durability is powerLoss, processCrash or none")
    }
    if workload != nil, state.isEmpty { throw ValidationError("--workload needs --state") }
  }

  func run() throws {
    let scheme = engine.split(separator: ":").first.map(String.init) ?? engine
    let names = engine == "all" ? EngineHarnesses.all.map(\.engine.name).filter { $0 != "memory" } : [scheme]
    let temporary = TemporaryFolder(in: folder)
    defer { temporary.removeAll() }
    var run = CrashLabRun()
    (run.operations, run.seed, run.isSealed) = (operations, seed, encrypted)
    run.durability = BackendManifest.Durability(rawValue: durability) ?? .powerLoss
    run.states = states == 0 ? nil : states
    run.failures = failures == 0 ? nil : failures
    (run.workload, run.trail) = (workload, state)
    var rows = [CrashLabRun.Result.header]
    var hasFindings = false
    for name in names {
      guard let harness = EngineHarnesses.harness(name, in: temporary), harness.isPersistent else {
        throw ValidationError("\(engine) is no engine whose stores persist")
      }
      if faults {
        for proof in try run.prove(on: harness) {
          print("\(name): \(proof.fault): " + (proof.states.map { "found after \($0) states" } ?? "not found"))
        }
        // Those that are in the engine itself, of which each is one of what is opened for a loss of power.
        if run.durability != .powerLoss { continue }
        for fault in PlantedDiskFault.allCases {
          guard let planted = EngineHarnesses.harness(harness.name, with: fault, in: temporary) else { continue }
          (run.limit, run.failures) = (1, nil)
          let result = try run.run(on: planted)
          let found = result.findings.isEmpty ? "not found" : "found after \(result.states) states"
          print("\(name): \(fault.rawValue), in the engine: \(found)")
        }
        continue
      }
      var shown = ContinuousClock.now
      let result: CrashLabRun.Result
      do {
        result = try run.run(on: harness) { result in
          guard ContinuousClock.now - shown > .seconds(20) else { return }
          shown = .now
          Self.say("\(name): \(result.states) states, \(result.failures) failing operations")
        }
      } catch let failure as ConformanceFailure {
        Self.say("\(name): \(failure.message)")
        throw ExitCode(3)
      }
      for finding in result.findings { print("\(name): \(finding)\n") }
      hasFindings = hasFindings || !result.findings.isEmpty
      rows.append(result.row)
    }
    if faults { return }
    let table = rows.joined(separator: "\n") + "\n"
    print(table, terminator: "")
    if let markdown { try OutputFile.write(table, to: markdown, replacing: true) }
    if hasFindings { throw ExitCode(1) }
  }

  private static func say(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
