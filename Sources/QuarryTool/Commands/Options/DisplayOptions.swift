import ArgumentParser
import QuarryCore
import QuarryData
import QuarryQuery

/// The output of records, for people and for programs.
struct DisplayOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How to print: \(OutputFormat.names).", valueName: "format"))
  var format: OutputFormat = .table

  @Option(
    help: ArgumentHelp(
      "The width of tables; 0 does not limit it. The terminal's width by default.", valueName: "columns"))
  var width: Int?

  @Flag(help: "Prints all rows on a terminal, where a table ends after \(Self.terminalRows).")
  var all = false

  /// The number of rows after which a table on a terminal ends.
  static let terminalRows = 100

  func validate() throws {
    if let width, width < 0 { throw ValidationError("--width is negative") }
  }

  func writer() -> any RecordWriter {
    format.writer(StandardOutput.sink(), width: width.map { $0 == 0 ? nil : $0 } ?? StandardOutput.width)
  }

  /// The number of rows after which the output ends; nil where it does not.
  ///
  /// - Parameter limit: The limit that the command was given.
  func rows(_ limit: Int?) -> Int? {
    all || limit != nil || !format.isForPeople || StandardOutput.width == nil ? nil : Self.terminalRows
  }

  /// The last line of an output that has ended before its rows did.
  static func more(_ count: Int) -> String {
    "… and \(count) more \(count == 1 ? "row" : "rows") (--all prints every row, --limit N the first N)"
  }
}

extension OutputFormat {
  static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

extension OutputFormat: ExpressibleByArgument {}
