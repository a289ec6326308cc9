import ArgumentParser
import BenchmarkHarness
import Foundation

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Measures workloads on engines and reports.",
    discussion: """
      Without flags: all engines that do not encrypt and all workloads at 10k and 100k objects, in a few minutes. The stores are temporary.
      Exit status: 0 when all went well, 1 for a mistake in the flags, 2 when an engine failed or gave a wrong answer, \
      130 when interrupted (the report so far is written).
      """)

  @Option(help: "Engines, with commas; all that do not encrypt when left out.") var engines: String?
  @Option(help: "Workloads, with commas; all when left out.") var workloads: String?
  @Option(help: "Numbers of objects, with commas: 10k,100k,1M.") var sizes = "10k,100k"
  @Option(help: "Rounds of each workload.") var rounds: Int?
  @Option(help: "The seed of all random numbers.") var seed: UInt64 = 1
  @Option(help: "Where temporary stores are made; the folder for temporary files when left out.") var directory: String?
  @OptionGroup var outputs: Outputs
  @Flag(help: "The full run: 10k, 100k and 1M objects, more operations and rounds. Takes long.") var full = false
  @Flag(help: "A few operations on few objects: whether all works, not how fast.") var smoke = false
  @Flag(
    help: """
      The engines that encrypt, each beside the plain one, and SQLCipher where it is installed: × is encrypted to plain. \
      With --engines the encrypted forms of those.
      """)
  var encrypted = false
  @Flag(help: "Allow sizes above 2M.") var huge = false
  @Flag(help: "Leave out the memory of each engine, which takes a process of its own.") var noMemory = false
  @Flag(help: "No progress.") var quiet = false

  func run() throws {
    if !smoke { try requireReleaseBuild() }
    try measure()
  }

  private func chosenEngines() throws -> [BenchmarkEngine] {
    let selection = try EngineSelection(
      from: CommandEnvironment.shared.engines, names: engines.map(List.items), isAboutEncryption: encrypted)
    if !quiet {
      for sentence in selection.leftOut { FileHandle.standardError.write(Data((sentence + "\n").utf8)) }
    }
    return selection.engines
  }

  private func chosenWorkloads() throws -> [Workload] {
    guard let workloads else { return Workload.all }
    let names = List.items(workloads)
    guard !names.isEmpty else { throw BenchmarkError("no workload is given") }
    for name in names where Workload.named(name) == nil {
      let all = Workload.all.map(\.id).joined(separator: ", ")
      throw BenchmarkError("no workload is called \(name); there are: \(all)")
    }
    return Workload.all.filter { names.contains($0.id) }
  }

  private func chosenSizes() throws -> [Int] {
    let text = full && sizes == "10k,100k" ? "10k,100k,1M" : smoke && sizes == "10k,100k" ? "200" : sizes
    let chosen = try List.sizes(text)
    if let largest = chosen.last, largest > 2_000_000, !huge {
      throw BenchmarkError("\(Format.count(largest)) objects take long and much room: say --huge if it is meant")
    }
    return chosen
  }

  private func chosenRounds() throws -> Int {
    let rounds = rounds ?? (smoke ? 1 : full ? 7 : 5)
    guard (1...1000).contains(rounds) else { throw BenchmarkError("the number of rounds is from 1 to 1000") }
    return rounds
  }

  /// The command without its paths.
  private func command(_ engines: [BenchmarkEngine], _ workloads: [Workload], _ sizes: [Int], _ rounds: Int) -> String {
    var words = [CommandEnvironment.shared.name]
    if full { words.append("--full") }
    if smoke { words.append("--smoke") }
    if encrypted { words.append("--encrypted") }
    if self.engines != nil { words += ["--engines", engines.map(\.name).joined(separator: ",")] }
    if self.workloads != nil { words += ["--workloads", workloads.map(\.id).joined(separator: ",")] }
    words += ["--sizes", sizes.map(String.init).joined(separator: ","), "--rounds", String(rounds)]
    words += ["--seed", String(seed)]
    if huge { words.append("--huge") }
    if noMemory { words.append("--no-memory") }
    return words.joined(separator: " ")
  }

  private func measure() throws {
    let engines = try chosenEngines()
    let workloads = try chosenWorkloads()
    let sizes = try chosenSizes()
    let rounds = try chosenRounds()
    let effort: Effort = smoke ? .smoke : full ? .full : .short
    try outputs.check()
    let parent = directory ?? FileManager.default.temporaryDirectory.path
    let folder = try Files.makeWorkFolder(in: parent)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Resources(engines: engines, sizes: sizes).require(in: folder)

    var report = BenchmarkReport(
      machine: .current(folder: folder),
      run: .init(
        command: command(engines, workloads, sizes, rounds), commit: Versions.commit(), swift: Versions.swift(),
        date: ISO8601DateFormatter().string(from: Date()), seed: seed, rounds: rounds, sizes: sizes, effort: effort),
      engines: engines, workloads: workloads)
    let interruption = Interruption()
    interruption.listen(removing: folder)
    let runner = BenchmarkRunner(
      engines: engines, workloads: workloads, sizes: sizes, rounds: rounds, seed: seed, effort: effort, folder: folder,
      measuresMemory: !noMemory, separatesEngines: true)
    let outcome = Result { try runner.run(into: &report, ProgressLine(isQuiet: quiet), interruption) }
    try outputs.end(report, outcome, interruption)
  }
}
