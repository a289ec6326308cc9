import ArgumentParser
import BenchmarkHarness

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
      CommandEnvironment.shared.engine(named: engine), size: size, seed: seed, effort: effort, folder: directory)
  }
}
