import ArgumentParser
import QuarryAdoption
import QuarryBackend
import QuarryData
import QuarryEngines

struct AdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Writes the models of a program for another program's SQLite database.",
    discussion: """
      Reads a plain SQLite database, one of GRDB, or one of Core Data or SwiftData, and writes Swift: a struct with @Model for \
      each table, and a function that copies the old rows into a store, which a program calls with its own library for the old \
      database. --into copies the rows now, into a store that a program with these models opens. The database is left as it \
      is. Notes on standard error name each choice that a person should know.
      """)

  @Argument(help: ArgumentHelp("The SQLite database.", valueName: "OLD.db"))
  var file: String

  @Option(help: ArgumentHelp("The file to write; standard output by default.", valueName: "Models.swift"))
  var to: String?

  @Option(
    help: ArgumentHelp("A store to copy the rows into: \(StoreURL.forms).", valueName: "url"))
  var into: StorePlace?

  @OptionGroup var storeKey: KeyOptions

  @Option(
    name: .customLong("table"),
    help: ArgumentHelp("A table; can be given many times. All tables by default.", valueName: "table"))
  var tables: [String] = []

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let to, !to.hasSuffix(".swift") { throw ValidationError("--to needs a name that ends in .swift") }
    _ = try into?.url
    if into == nil, storeKey.keyFile != nil || storeKey.keyStore != nil {
      throw ValidationError("a key is for the store of --into")
    }
  }

  func run() throws {
    let database = try ForeignDatabase(path: file)
    let names = tables.isEmpty ? nil : tables
    let plan = try AdoptionPlan(database, tables: names, naming: .swift)
    Notice.print("\(file.escapedForDisplay) is a database of \(try database.kind().rawValue)")
    if into == nil { for note in plan.notes { Notice.print(note.escapedForDisplay) } }
    let source = SwiftModels(plan, path: file).source
    if let to {
      let made = try OutputFile(path: to, replacing: output.force, keys: OutputOptions.keys(storeKey.source))
      try made.sink.write(source)
      try made.finish()
      let models = "\(plan.tables.count) \(plan.tables.count == 1 ? "model" : "models")"
      try StandardOutput.print("wrote \(models) to \(to.escapedForDisplay)")
    } else if into == nil {
      let sink = StandardOutput.sink()
      try sink.write(source)
      try sink.flush()
    }
    if let into = try into?.url { try DatabaseImport(path: file, tables: names, naming: .swift).run(into, storeKey) }
  }
}
