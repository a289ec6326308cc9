import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Changes the models of a store: names, types, indexes, and what is dropped.",
    discussion: """
      Every option can be given many times. Names are those that the store has before, also where another option gives a \
      new one: --rename Book.title=name --index Book.title. All is done in one transaction: after an error the store is \
      as it was. Types are those that "quarry schema" prints, such as int64, string? or [double]; a value is converted \
      where that loses nothing, and numbers are read from text. --rehearse tries it on a copy, prints what would be done \
      and lost, and exits with 1 where it would fail.
      """)

  @OptionGroup var store: StoreArgument

  @Option(
    parsing: .unconditionalSingleValue, help: ArgumentHelp("Renames a property.", valueName: "model.property=name"),
    transform: { try NameChange(argument: $0) })
  var rename: [NameChange] = []

  @Option(
    parsing: .unconditionalSingleValue, help: ArgumentHelp("Renames a model.", valueName: "model=name"),
    transform: { try NameChange(argument: $0) })
  var renameModel: [NameChange] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Drops a property with its values and indexes, or a model.", valueName: "model[.property]"))
  var drop: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Converts the values of a property.", valueName: "model.property=type"),
    transform: { try TypeChange(argument: $0) })
  var convert: [TypeChange] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Lets a property be nil.", valueName: "model.property"))
  var optional: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Makes an index; a minus sign stands before columns that go down.", valueName: "model.a,-b"))
  var index: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Makes an index whose values are unique.", valueName: "model.a,b"))
  var unique: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Drops an index by its name.", valueName: "model.index"))
  var dropIndex: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Makes a property a reference to a model, whose keys its values have to be.", valueName: "model.property=model"),
    transform: { try NameChange(argument: $0) })
  var reference: [NameChange] = []

  @Option(
    help: ArgumentHelp(
      "What becomes of an object when the one that --reference leads to is removed: cascade, nullify or deny. Without "
        + "it nullify where the property may be nil, else deny.", valueName: "rule"))
  var onDelete: DeleteRuleName?

  @Option(help: ArgumentHelp("The version that the models have then.", valueName: "version"))
  var to: Int?

  @Flag(help: "Changes nothing, and prints what would be done.")
  var rehearse = false

  private var edits: SchemaEdits {
    SchemaEdits(
      renames: rename, modelRenames: renameModel, drops: drop, conversions: convert, optionals: optional,
      indexes: index, uniques: unique, droppedIndexes: dropIndex, references: reference,
      deleteRule: onDelete?.rule, version: to)
  }

  func validate() throws {
    if edits.isEmpty { throw ValidationError("nothing is said to be changed") }
    if onDelete != nil, reference.isEmpty { throw ValidationError("--on-delete needs a --reference") }
    if let to, to < 1 { throw ValidationError("--to is below 1") }
  }

  func run() throws {
    let stored = try store.open(.reading)
    let models: [ModelSchema]
    do {
      defer { try? stored.close() }
      models = try stored.models()
    }
    let (program, migration) = try edits.plan(for: models)
    var options = OpenOptions()
    options.encryption = try store.key.encryption()
    options.createsIfMissing = store.url.engine.path == .optionalName
    options = store.url.options(options)
    guard !rehearse else {
      let report = try Store.rehearse(
        program: program, in: store.url.provider, options: options, migration: migration)
      try StandardOutput.print(MigrationText.lines(report))
      if report.error != nil { throw ExitCode.failure }
      return
    }
    let migrated = try Store(program: program, in: store.url.provider, options: options, migration: migration)
    defer { try? migrated.close() }
    let changes = migrated.openingReport.schemaChanges.map(\.escapedForDisplay)
    try StandardOutput.print(changes.isEmpty ? ["nothing was to be changed"] : changes)
  }
}
