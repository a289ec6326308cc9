import ArgumentParser

/// The benchmark is a program of a package of its own, which users that only store data do not build.
struct BenchmarkCommand: ParsableCommand {
  static let program = SiblingProgram(
    name: "quarry-bench",
    build: "swift build -c release --package-path Benchmarks --scratch-path .build --product quarry-bench",
    missing: .failure)

  static let configuration = CommandConfiguration(
    commandName: "benchmark", abstract: "Compares the engines on your own data and queries.",
    discussion: """
      quarry benchmark --mine FILE --queries FILE says in three sentences for each engine when to choose it. Starts the program \
      \(program.name), which must be in the same folder. quarry benchmark --help prints its commands.
      """)

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of the program.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws { try Self.program.run(arguments) }
}
