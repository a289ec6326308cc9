import ArgumentParser
import Foundation
import QuarryConformance
import QuarryHarnesses

/// The second process of the conformance kit, which starts this program for it. Nobody else does, so no help shows it.
struct ConformanceChildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: ConformanceChild.argument, abstract: "The second process of the conformance kit.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The scheme of the engine.", valueName: "engine"))
  var engine: String

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("What the kit says.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    guard let harness = EngineHarnesses.harness(engine, in: TemporaryFolder()) else {
      throw ValidationError("\(engine) is no engine")
    }
    Foundation.exit(ConformanceChild.run(arguments, on: harness))
  }
}
