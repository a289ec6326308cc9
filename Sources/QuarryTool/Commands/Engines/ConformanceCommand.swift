import ArgumentParser

/// The conformance kit is a program of its own, which users that only store data do not build.
struct ConformanceCommand: ParsableCommand {
  static let program = SiblingProgram(
    name: "quarry-conformance", build: "swift build -c release --product quarry-conformance",
    // Nothing was judged.
    missing: ExitCode(3))

  static let configuration = CommandConfiguration(
    commandName: "conformance", abstract: "Proves that an engine fulfils the contract.",
    discussion: """
      Starts the program \(program.name), which must be in the same folder. quarry conformance --help prints its options.
      """)

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of the program.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws { try Self.program.run(arguments) }
}
