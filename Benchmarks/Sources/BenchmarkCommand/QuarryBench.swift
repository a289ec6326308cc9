public import ArgumentParser
public import BenchmarkHarness
import Foundation

/// The command line: `run`, which is meant when nothing is said, `data`, which is meant where `--data` or `--mine` is given, and
/// `compare`.
public struct QuarryBench: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "quarry-bench",
    abstract: "Measures engines side by side.",
    subcommands: [
      RunCommand.self, DataCommand.self, CompareCommand.self, ListCommand.self, MemoryCommand.self,
      EngineCommand.self, DataEngineCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  public init() {}

  /// Runs the command line with some engines.
  ///
  /// - Parameter name: The name of the program in reports.
  public static func main(_ name: String, engines: [BenchmarkEngine]) {
    CommandEnvironment.shared.set(name: name, engines: engines)
    main(withCommand(Array(CommandLine.arguments.dropFirst())))
  }

  /// The arguments with the name of the command that flags alone mean.
  static func withCommand(_ arguments: [String]) -> [String] {
    let isAboutData = arguments.contains { argument in
      ["--data", "--mine"].contains { argument == $0 || argument.hasPrefix($0 + "=") }
    }
    // An argument parser would find these options unknown to the command that runs by itself.
    guard isAboutData, arguments.first?.hasPrefix("-") == true else { return arguments }
    return ["data"] + arguments
  }
}

/// How a program ends.
enum Ending {
  static let failure = ExitCode(1)
  static let wrongAnswer = ExitCode(2)
  static let interrupted = ExitCode(130)
}
