import ArgumentParser
import BenchmarkHarness
import Foundation

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Shows what moved between two JSON reports beyond the noise.",
    discussion: "Exit status: 0 when nothing got slower, 1 when something did or fails now, or for a damaged report.")

  @Argument(help: "The report to compare with.") var old: String
  @Argument(help: "The report that is compared.") var new: String
  @Option(help: "Percent from which a change counts.") var threshold = 10.0
  @Flag(help: "Compare ratios to the peers instead of rates, for reports of different machines.") var ratios = false

  func run() throws {
    guard threshold.isFinite, threshold >= 0 else { throw BenchmarkError("the threshold is a number of percents") }
    let comparison = Comparison(
      old: try Self.read(old), new: try Self.read(new), threshold: threshold / 100, comparesRatios: ratios)
    print(comparison.text(), terminator: "")
    guard !comparison.lines.isEmpty else { throw BenchmarkError("the reports have nothing in common") }
    if comparison.hasRegression { throw Ending.failure }
  }

  private static func read(_ path: String) throws -> BenchmarkReport {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchmarkError("\(path) cannot be read")
    }
    return try BenchmarkReport.read(json: data, name: path)
  }
}

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Names the engines and workloads.")

  func run() {
    print("Engines")
    for engine in Offer.shared.engines {
      print("  \(engine.name): \(engine.summary), " + (engine.obstacle ?? engine.version))
    }
    print("\nWorkloads")
    for workload in Workload.all { print("  \(workload.id): \(workload.title). \(workload.explanation)") }
  }
}

/// What the program starts itself with, to measure the memory of one engine.
struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure-memory", abstract: "Measures the memory of one engine.", shouldDisplay: false)

  @Argument var engine: String
  @Option var size: Int
  @Option var seed: UInt64
  @Option var directory: String

  func run() throws {
    let figures = try MemoryProbe.measure(
      Offer.shared.engine(named: engine), size: size, seed: seed, folder: directory)
    print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
  }
}

/// What the program starts itself with, so that each engine works in a process of its own.
struct EngineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure-engine", abstract: "Works as one engine of a run.", shouldDisplay: false)

  @Argument var engine: String
  @Option var size: Int
  @Option var seed: UInt64
  @Option var effort: String
  @Option var directory: String

  func run() throws {
    try EngineServer.run(
      Offer.shared.engine(named: engine), size: size, seed: seed, effort: effort, folder: directory)
  }
}
