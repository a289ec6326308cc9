public import ArgumentParser
public import BenchmarkHarness
import Foundation

/// The command line: `run`, which is meant when nothing is said, and `compare`.
public struct QuarryBench: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "quarry-bench",
    abstract: "Measures engines side by side.",
    subcommands: [RunCommand.self, CompareCommand.self, ListCommand.self, MemoryCommand.self],
    defaultSubcommand: RunCommand.self)

  public init() {}

  /// Runs the command line with some engines.
  ///
  /// - Parameter name: The name of the program in reports.
  public static func main(_ name: String, engines: [BenchmarkEngine]) {
    Offer.shared.set(name: name, engines: engines)
    main()
  }
}

/// How a program ends.
enum Ending {
  static let failure = ExitCode(1)
  static let wrongAnswer = ExitCode(2)
  static let interrupted = ExitCode(130)
}
