import ArgumentParser
import QuarryBackend
import QuarryData
import QuarryQuery

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes all objects of a model to a CSV, JSON or JSON Lines file.",
    discussion: """
      An import of the file gives back the same rows. In CSV nil is an empty cell and the empty string a quoted one; \
      dates are ISO 8601, data is base64. The file is complete or does not exist.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument

  @Option(
    help: ArgumentHelp(
      "The file to write; its extension selects the format.", valueName: "FILE.jsonl|FILE.json|FILE.csv"))
  var to: String

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if outputFormat == nil { throw ValidationError("--to needs a name that ends in .csv, .jsonl or .json") }
  }

  /// Nil for a name that says none: with tabs nothing is written.
  private var outputFormat: OutputFormat? {
    switch DataFormat(path: to) {
    case .csv: to.loweredASCII.hasSuffix(".csv") ? .csv : nil
    case .jsonl: .jsonl
    case .json: .json
    case nil: nil
    }
  }

  func run() throws {
    guard let outputFormat else { throw ExitCode.validationFailure }
    let keys = OutputOptions.keys(store.key.source)
    let store = try store.open(.reading)
    defer { try? store.close() }
    let name = try model.name(in: store)
    let names = try store.model(named: name).propertyNames
    let clock = ContinuousClock()
    let start = clock.now
    let file = try OutputFile(path: to, replacing: output.force, keys: keys)
    var writer = outputFormat.writer(file.sink, width: nil)
    let progress = ProgressBar()
    progress.begin("exporting")
    let query = QueryTree(model: name)
    let rows = try store.read { tx in
      let total = try progress.isShown ? tx.records.count(query) : 0
      return try tx.write(query, names, to: &writer) { rows in
        progress.update(total > 0 ? Double(rows) / Double(total) : 1, rows: rows)
      }
    }
    try file.finish()
    progress.clear()
    try StandardOutput.print(RateText.line("exported", rows, to: "to \(to.escapedForDisplay)", clock.now - start))
  }
}
