import ArgumentParser
import BenchmarkHarness
import DataBenchmark
import Foundation

struct DataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "data", abstract: "Measures a mix of operations on your own data, and recommends an engine.",
    discussion: """
      The data are a file of CSV or JSON Lines, whose columns get the types that `quarry import` would give them, or a \
      store, which is only read. The word `data` can be left out where --data or --mine is given, which mean the same.

        quarry-bench --mine airports.csv --queries queries.txt --index country
        quarry-bench --data airports.csv --model Airport --key icao --index country
        quarry-bench --data sqlite:library.db --model Book --mix get=50,equal=30,update=20 --html report.html

      Operations: get, equal, range, sort (query is a third of each of these three), update, insert, delete. With --queries, \
      query is one of the queries of the file instead, which is also called own.
      Exit status: 0 when all went well, 1 for a mistake in the flags or the data, 2 when an engine failed or gave \
      another answer than the others, 130 when interrupted (the report so far is written).
      """)

  @OptionGroup var options: DataOptions
  @Option(
    help: ArgumentHelp(
      "A file with a query in each line: a condition, or the options of `quarry query`: --where, --sort, --limit, --offset.",
      valueName: "FILE"))
  var queries: String?
  @Option(help: "Percents of the operations, which add up to 100.") var mix = OperationMix.usual
  @Option(help: "Operations of a round.") var operations: Int?
  @Option(help: "Writes in a transaction.") var batch = 1
  @Option(help: "Threads that read while the mix is at work, up to 64.") var readers = 0
  @Option(help: "How keys are chosen: uniform, or zipfian (few keys often).") var skew: Skew = .uniform
  @Option(help: ArgumentHelp("The column of queries by equality.", valueName: "column")) var equal: String?
  @Option(help: ArgumentHelp("The column of queries by range.", valueName: "column")) var range: String?
  @Option(help: ArgumentHelp("The column of sorted queries.", valueName: "column")) var sort: String?
  @Option(help: "Percent of the rows that a range covers.") var selectivity = 0.1
  @Option(help: "The most rows that a query fetches.") var limit = 100
  @Option(help: "Engines, with commas; all when left out.") var engines: String?
  @Option(help: "Rounds.") var rounds: Int?
  @Option(help: "The seed of all random numbers.") var seed: UInt64 = 1
  @Option(help: "Where temporary stores are made; the folder for temporary files when left out.") var directory: String?
  @OptionGroup var outputs: Outputs
  @Flag(help: "One round of a few operations: whether all works, not how fast.") var smoke = false
  @Flag(help: "Leave out the memory of each engine, which takes a process of its own.") var noMemory = false
  @Flag(help: "No progress.") var quiet = false

  enum Skew: String, ExpressibleByArgument, CaseIterable {
    case uniform, zipfian
  }

  func run() throws {
    if !smoke { try requireReleaseBuild() }
    try measure()
  }

  private func chosenEngines() throws -> [DataEngine] {
    guard let engines else { return DataEngine.all }
    let names = List.items(engines)
    guard !names.isEmpty else { throw BenchmarkError("no engine is given") }
    for name in names where !DataEngine.all.contains(where: { $0.name == name }) {
      let all = DataEngine.all.map(\.name).joined(separator: ", ")
      throw BenchmarkError("no engine for your own data is called \(name); there are: \(all)")
    }
    return DataEngine.all.filter { names.contains($0.name) }
  }

  private func settings(_ folder: String) throws -> DataSettings {
    guard selectivity > 0, selectivity <= 100 else {
      throw BenchmarkError("--selectivity is more than 0 and at most 100 percent")
    }
    var settings = DataSettings(
      engines: try chosenEngines(),
      selection: try options.selection,
      mix: try OperationMix(parsing: mix, hasOwnQueries: queries != nil),
      operations: try DataOptions.number(operations ?? (smoke ? 300 : 5000), "operations", 1...100_000_000),
      batch: try DataOptions.number(batch, "batch", 1...1_000_000), isZipfian: skew == .zipfian,
      selectivity: selectivity / 100,
      limit: try DataOptions.number(limit, "limit", 1...1_000_000_000),
      rounds: try DataOptions.number(rounds ?? (smoke ? 1 : 5), "rounds", 1...1000), seed: seed, folder: folder)
    settings.readers = try DataOptions.number(readers, "readers", 0...64)
    #if os(Linux)
      settings.separatesEngines = true
      settings.measuresMemory = !noMemory
    #endif
    settings.equal = equal
    settings.range = range
    settings.sort = sort
    if let queries { settings.queries = try OwnQuery.read(queries) }
    return settings
  }

  /// The command without its paths.
  private func command(_ settings: DataSettings, _ source: DataSource) -> String {
    var words = [CommandEnvironment.shared.name] + options.words(data: source.name)
    if let queries { words += ["--queries", URL(fileURLWithPath: queries).lastPathComponent] }
    words += ["--mix", mix, "--operations", String(settings.operations), "--batch", String(batch)]
    if readers > 0 { words += ["--readers", String(readers)] }
    words += ["--skew", skew.rawValue, "--selectivity", String(selectivity), "--limit", String(limit)]
    for (flag, column) in [("--equal", equal), ("--range", range), ("--sort", sort)] {
      if let column { words += [flag, column] }
    }
    if engines != nil { words += ["--engines", settings.engines.map(\.name).joined(separator: ",")] }
    words += ["--rounds", String(settings.rounds), "--seed", String(seed)]
    return words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
  }

  private func measure() throws {
    let source = try options.source
    _ = try settings("")
    try outputs.check()
    let folder = try Files.makeWorkFolder(in: directory ?? FileManager.default.temporaryDirectory.path)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let interruption = Interruption()
    interruption.listen(removing: folder)
    let settings = try settings(folder)
    let runner: DataRunner
    do {
      runner = try DataRunner(settings, source, ProgressLine(isQuiet: quiet), interruption)
    } catch {
      if interruption.isRequested { throw Ending.interrupted }
      throw DataSettings.words(error) ?? error
    }
    var report = BenchmarkReport(
      machine: .current(folder: folder),
      run: .init(
        command: command(settings, source), commit: Versions.commit(), swift: Versions.swift(),
        date: ISO8601DateFormatter().string(from: Date()), seed: seed, rounds: settings.rounds,
        sizes: [runner.section.rows],
        effort: .mixed(settings.operations)),
      engines: settings.engines.map(\.engine), works: runner.works, data: runner.section)
    let outcome = Result { try runner.run(into: &report) }
    try outputs.end(report, outcome, interruption)
  }
}
