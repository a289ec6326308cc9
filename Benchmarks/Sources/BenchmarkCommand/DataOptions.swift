import ArgumentParser
import BenchmarkHarness
import DataBenchmark
import Foundation

/// Which data a run is about.
struct DataOptions: ParsableArguments {
  @Option(
    name: [.customLong("data"), .customLong("mine")],
    help: ArgumentHelp("A file of CSV or JSON Lines, or the URL of a store.", valueName: "FILE|URL"))
  var data: String
  @Option(help: "The name of the model; that of the file, or the only one of the store, when left out.")
  var model: String?
  @Option(
    help: ArgumentHelp(
      "The column that is the primary key; a column whose values all differ when left out. A store says it itself.",
      valueName: "column"))
  var key: String?
  @Option(help: ArgumentHelp("Columns to index, with commas; can be given many times.", valueName: "columns"))
  var index: [String] = []
  @Option(
    help: ArgumentHelp("Columns whose values are unique, with commas; can be given many times.", valueName: "columns"))
  var unique: [String] = []
  @Flag(help: "In columns of text an empty cell of CSV is the empty text and not nil.") var emptyAsText = false
  @Option(help: "Take only so many rows, from the beginning.") var first: Int?

  var source: DataSource {
    get throws { try DataSource(data, emptyAsText: emptyAsText) }
  }

  var selection: DataSelection {
    get throws {
      DataSelection(
        model: model, key: key, indexed: index.flatMap(List.items), unique: unique.flatMap(List.items),
        first: try first.map { try Self.number($0, "first", 1...1_000_000_000) })
    }
  }

  /// These options as they stand on a command line.
  ///
  /// - Parameter data: What stands for the data.
  func words(data: String) -> [String] {
    var words = ["--data", data]
    if let model { words += ["--model", model] }
    if let key { words += ["--key", key] }
    for column in index.flatMap(List.items) { words += ["--index", column] }
    for column in unique.flatMap(List.items) { words += ["--unique", column] }
    if emptyAsText { words.append("--empty-as-text") }
    if let first { words += ["--first", String(first)] }
    return words
  }

  static func number(_ value: Int, _ flag: String, _ range: ClosedRange<Int>) throws -> Int {
    guard range.contains(value) else {
      throw BenchmarkError("--\(flag) is from \(range.lowerBound) to \(Format.count(range.upperBound))")
    }
    return value
  }
}

/// What the program starts itself with, so that each engine works on the user's data in a process of its own.
struct DataEngineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure-data-engine", abstract: "Works as one engine of a run on your own data.",
    shouldDisplay: false)

  @Argument var engine: String
  @Option var rows: String
  @Option var task: String
  @Option var directory: String

  func run() throws {
    guard let engine = DataEngine.all.first(where: { $0.name == engine }) else {
      throw BenchmarkError("no engine is called \(engine)")
    }
    try DataServer.run(engine, rows: rows, task: task, folder: directory)
  }
}
