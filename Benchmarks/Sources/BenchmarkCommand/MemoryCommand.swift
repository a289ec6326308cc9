import ArgumentParser
import BenchmarkHarness
import Foundation

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
      CommandEnvironment.shared.engine(named: engine), size: size, seed: seed, folder: directory)
    print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
  }
}
