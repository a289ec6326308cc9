import ArgumentParser
import Foundation
import QuarryBackend
import QuarryConformance
import QuarryConformanceCommand
import QuarryData
import QuarryHarnesses

/// The kit's program for the engines of this package, which `quarry conformance` starts.
struct EngineConformanceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarry conformance", abstract: "Proves that an engine does what the contract says.",
    discussion: """
      Stores are made in a temporary folder, or in the folder that stands after the scheme, and removed afterwards. With a
      name after "memory:" they are stores in memory under names, which persist while they are held. With
      "all" every engine is tried, and the files of reports get the engine's name.
      The exit code is 0 when all levels that are due were awarded, 1 when a case failed, 2 when only a part was run or
      something deviates, 3 when the suite could not judge.
      """)

  @Argument(
    help: ArgumentHelp("The engine: memory:, memory:NAME, sqlite:, sqlite:FOLDER, or all.", valueName: "engine"))
  var engine: String

  @Option(help: ArgumentHelp("Writes the engines and their levels as a table in Markdown.", valueName: "file"))
  var matrix: String?

  @OptionGroup var arguments: ConformanceArguments

  func run() throws {
    let parts = engine.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let parent = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
    let names = engine == "all" ? EngineHarnesses.all.map(\.engine.name) : [parts[0]]
    if let matrix {
      do throws(StorageError) {
        try OutputFile.check(matrix, replacing: arguments.force)
      } catch {
        throw ValidationError(error.message)
      }
    }
    let folder = TemporaryFolder(in: parent)
    var worst: Int32 = 0
    var reports: [ConformanceReport] = []
    do {
      defer { folder.removeAll() }
      for name in names {
        let named: (any ConformanceHarness)? = name == "memory" && parent != nil ? NamedMemoryHarness() : nil
        guard let harness = named ?? EngineHarnesses.harness(name, in: folder) else {
          let known = (EngineHarnesses.all.map(\.engine.scheme) + EngineHarnesses.variants.map(\.name))
            .map { "\($0):" }.joined(separator: ", ")
          throw ValidationError("\(engine) is no engine; there are \(known) and all")
        }
        let session = ConformanceSession(
          arguments, command: "quarry conformance \(engine == "all" ? name + ":" : engine)")
        if arguments.plan {
          session.printPlan(harness)
          continue
        }
        let report = try session.run(harness, suffix: engine == "all" ? name : "")
        worst = max(worst, report.status.rawValue)
        reports.append(report)
      }
      if let matrix {
        try OutputFile.write(ConformanceMatrix.text(reports), to: matrix, replacing: arguments.force)
      }
    }
    // The process ends here and now: threads of cases that hung would keep it.
    Foundation.exit(worst)
  }
}
