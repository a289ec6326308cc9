import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryEngines

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Puts the rows of a file of CSV or JSON Lines into a model.",
    discussion: """
      A model that is not there is made, with types found in the data: true and false; integers of 64 bits; decimals \
      and exponents; UUIDs; date-times of ISO 8601 in UTC, such as 2026-02-03T04:05:06Z; text. What a type would \
      change, such as 007, stays text. An empty cell is nil, a quoted one the empty text; a quoted number is text unless \
      everything in the file is quoted. A model that is there keeps its types, and the data has to fit them.
      All rows are imported or, after an error, none.
      """)

  @Argument(help: ArgumentHelp("A file whose name ends in .csv or .jsonl.", valueName: "DATA.csv|DATA.jsonl"))
  var file: String

  @Option(
    help: ArgumentHelp("The store: \(StoreURL.forms).", valueName: "url"),
    transform: { try StoreURL(argument: $0) })
  var into: StoreURL

  @OptionGroup var storeKey: KeyOptions

  @Option(help: "The name of the model.")
  var model: String

  @Option(help: ArgumentHelp("The column that is the primary key.", valueName: "column"))
  var key: String

  @Option(help: ArgumentHelp("A column to index; can be given many times.", valueName: "column"))
  var index: [String] = []

  @Option(help: ArgumentHelp("A column whose values are unique; can be given many times.", valueName: "column"))
  var unique: [String] = []

  @Option(
    help: ArgumentHelp(
      "A column that has the primary keys of another model; can be given many times.", valueName: "column=model.key"),
    transform: { try NameChange(argument: $0) })
  var reference: [NameChange] = []

  @Flag(help: "In columns of text an empty cell is the empty text and not nil.")
  var emptyAsText = false

  func validate() throws {
    if DataFormat(path: file) == nil {
      throw ValidationError("\(file.excerpt) is no file of data: its name ends neither in .csv nor in .jsonl")
    }
  }

  func run() throws {
    guard let format = DataFormat(path: file) else { throw ExitCode.validationFailure }
    let clock = ContinuousClock()
    let start = clock.now
    let progress = ProgressBar()
    let data = DataFile(path: file, format: format, emptyAsText: emptyAsText)
    // A missing file is reported before a store is made for it.
    _ = try ByteSource(path: file)
    let (store, isMade) = try into.openToImport(storeKey.encryption())
    let importer = Importer(
      data: data, model: model, key: key, indexed: index, unique: unique, references: reference, progress: progress)
    let rows: Int
    do {
      rows = try importer.run(in: store)
      try store.close()
    } catch {
      // Nothing was stored, and nothing else was there.
      if !isMade || (try? store.destroy()) == nil { try? store.close() }
      throw error
    }
    progress.clear()
    try StandardOutput.print(
      RateText.line("imported", rows, to: "into \(model.escapedForDisplay)", clock.now - start))
  }
}
