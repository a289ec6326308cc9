import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEngines

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports a CSV or JSON file into a model, or tables of another program's SQLite database.",
    discussion: """
      A model that does not exist is created. The types of its properties are found in the data: true and false; \
      integers of 64 bits; decimals; UUIDs; date-times of ISO 8601 in UTC, such as 2026-02-03T04:05:06Z; text. Values \
      that a number would not give back as they are written, such as 007, 1.10 or 32E0134, stay text unless --type says \
      otherwise. An empty cell is nil, a quoted one the empty string; a quoted number is text unless everything in the \
      file is quoted. An existing model keeps its types, and the data has to fit them.
      The command detects the delimiter and the encoding. A note gives the reason, unless they are a comma and UTF-8.
      Tables of an SQLite database become models with types by their declarations and content, indexes, and references by \
      foreign keys. --table names the tables; without it the command imports all of them.
      All rows are imported or, after an error, none.
      """)

  @Argument(
    help: ArgumentHelp(
      "A file whose name ends in .csv, .tsv, .jsonl or .json, or an SQLite database; - for standard input.",
      valueName: "DATA.csv|DATA.jsonl|OLD.db"))
  var file: String

  @Option(
    help: ArgumentHelp("The store: \(StoreURL.forms).", valueName: "url"))
  var into: StorePlace

  @OptionGroup var storeKey: KeyOptions

  @Option(help: "The name of the model. A table gives its own name to its model without it.")
  var model: String?

  @Option(
    name: .customLong("table"),
    help: ArgumentHelp("A table of an SQLite database; can be given many times.", valueName: "table"))
  var tables: [String] = []

  @Option(
    help: ArgumentHelp(
      "The column that is the primary key, or several with commas between. Without it: of a new model a column whose values all "
        + "differ, or else the number of the row. @row: the number of the row. auto: the store generates the keys.",
      valueName: "column|@row|auto"))
  var key: String?

  @Option(help: ArgumentHelp("Adds a key that is not a column: the number of the row.", valueName: "name"))
  var generateKey: String?

  @Option(help: ArgumentHelp("A column to index; can be given many times.", valueName: "column"))
  var index: [String] = []

  @Option(help: ArgumentHelp("A column whose values are unique; can be given many times.", valueName: "column"))
  var unique: [String] = []

  @Option(
    help: ArgumentHelp("Columns of texts whose words are found by quarry search.", valueName: "columns"))
  var searchable: String?

  @Option(
    help: ArgumentHelp(
      "The language of the columns after --searchable, whose words are compared by their stems: english.",
      valueName: "name"),
    transform: { try SearchLanguage(argument: $0) })
  var language: SearchLanguage?

  @Option(
    help: ArgumentHelp(
      "A column with primary keys of another model; can be given many times. The members of a compound key are separated by "
        + "commas.", valueName: "column=model.key"),
    transform: { try NameChange(argument: $0) })
  var reference: [NameChange] = []

  @OptionGroup var table: TableOptions

  /// Whether the file is a database: by its first bytes, or else by its name.
  private var isDatabase: Bool { file != "-" && DataFormat(path: file) == nil && DatabaseImport.isDatabase(file) }

  func validate() throws {
    _ = try into.url
    if isDatabase { return try validateTables() }
    if !tables.isEmpty { throw ValidationError("--table is for an SQLite database") }
    if model == nil { throw ValidationError("Missing expected argument '--model <model>'") }
    if file != "-", DataFormat(path: file) == nil {
      throw ValidationError(
        "\(file.excerpt) is not a data file: its name ends neither in .csv or .tsv nor in .jsonl or .json, and it is no SQLite "
          + "database")
    }
    if language != nil, searchable == nil { throw ValidationError("--language needs --searchable") }
    if key != nil, generateKey != nil { throw ValidationError("--key and --generate-key exclude each other") }
    if file != "-", let format = DataFormat(path: file) { try table.check(format) }
  }

  /// Types, keys and indexes come from the database.
  private func validateTables() throws {
    let given: [(String, Bool)] = [
      ("--key", key != nil), ("--generate-key", generateKey != nil), ("--index", !index.isEmpty),
      ("--unique", !unique.isEmpty), ("--searchable", searchable != nil), ("--language", language != nil),
      ("--reference", !reference.isEmpty),
      ("--delimiter", table.delimiter != nil),
      ("--encoding", table.encoding != nil), ("--format", table.format != nil), ("--type", !table.type.isEmpty),
      ("--null", !table.null.isEmpty), ("--empty-as-text", table.emptyAsText),
    ]
    if let option = given.first(where: \.1)?.0 {
      throw ValidationError("\(option) is for CSV and JSON: a database declares its own; quarry migrate changes models")
    }
    if model != nil, tables.count != 1 { throw ValidationError("--model needs one --table, whose model it names") }
  }

  func run() throws {
    if isDatabase {
      return try DatabaseImport(path: file, tables: tables.isEmpty ? nil : tables, model: model, naming: .original)
        .run(into.url, storeKey)
    }
    guard let model else { throw ExitCode.validationFailure }
    let clock = ContinuousClock()
    let start = clock.now
    let progress = ProgressBar()
    let data = try table.file(file)
    // A missing file is reported before a store is created for it.
    _ = try data.source()
    let (store, isMade) = try into.url.openToImport(storeKey.encryption())
    var table = TableImport(data: data, model: model)
    switch key {
    case nil: break
    case "auto": table.key = .generated
    case "@row": table.key = .row
    case let key?: table.key = .columns(named: key)
    }
    if let generateKey { table.key = .counted(generateKey) }
    table.indexed = index
    table.unique = unique
    table.searchable = SearchCommand.names(searchable)
    table.language = language
    table.references = reference.map { TableImport.Reference(column: $0.old, target: $0.new) }
    table.begin = {
      progress.clear()
      progress.begin($0)
    }
    table.progress = { progress.update($0, rows: $1) }
    let report: TableImport.Report
    do {
      report = try table.run(in: store)
      try store.close()
    } catch {
      // Nothing was stored, and nothing else was there.
      if !isMade || (try? store.destroy()) == nil { try? store.close() }
      throw error
    }
    progress.clear()
    for note in report.notes { Notice.print(note) }
    try StandardOutput.print(
      RateText.line("imported", report.rows, to: "into \(model.escapedForDisplay)", clock.now - start))
  }
}

extension SearchLanguage {
  /// The language that an argument names.
  fileprivate init(argument: String) throws {
    guard let language = SearchLanguage(name: argument) else {
      let names = Self.all.map(\.name).joined(separator: ", ")
      throw ValidationError("\(argument.excerpt) is not a language of searches: \(names)")
    }
    self = language
  }
}
