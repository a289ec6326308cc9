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
