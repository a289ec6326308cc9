import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Changes the models of a store: renames, converts and drops properties, models and indexes.",
    discussion: """
      Every option can be given many times. Names are the names that the store has now, also next to an option that \
      changes them: --rename Book.title=name --index Book.title. All changes are made in one transaction: after an error \
      the store is as it was. Types are written as "quarry schema" prints them, such as int64, string? or [double]; a \
      value is converted if nothing is lost, and numbers are read from text. --rehearse migrates a copy, prints the \
      steps and losses, and exits with 1 if the migration would fail.
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
    help: ArgumentHelp(
      "Lets the store give keys to objects that have none: an integer is the next number, a UUID one of version 7.",
      valueName: "model"))
  var generateKeys: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Creates an index; a minus sign precedes a descending column.", valueName: "model.a,-b"))
  var index: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Creates an index whose values are unique.", valueName: "model.a,b"))
  var unique: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Drops an index by its name.", valueName: "model.index"))
  var dropIndex: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Makes a property a reference to a model; its values must be keys of that model.",
      valueName: "model.property=model"),
    transform: { try NameChange(argument: $0) })
  var reference: [NameChange] = []

  @Option(
    help: ArgumentHelp(
      "The delete rule of the references that --reference creates: cascade, nullify or deny. The default is nullify "
        + "if the property is optional, else deny.", valueName: "rule"))
  var onDelete: DeleteRuleName?

  @Option(help: ArgumentHelp("The version of the models after the migration.", valueName: "version"))
  var to: Int?

  @Flag(help: "Changes nothing, and prints what the migration would do.")
  var rehearse = false

  private var edits: SchemaEdits {
    SchemaEdits(
      renames: rename, modelRenames: renameModel, drops: drop, conversions: convert, optionals: optional,
      generatedKeys: generateKeys, indexes: index, uniques: unique, droppedIndexes: dropIndex, references: reference,
      deleteRule: onDelete?.rule, version: to)
  }

  func validate() throws {
    if edits.isEmpty { throw ValidationError("no change is given") }
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
    let url = try store.url
    var options = OpenOptions()
    options.encryption = try store.key.encryption()
    options.createsIfMissing = url.engine.path == .optionalName
    options = url.options(options)
    guard !rehearse else {
      let report = try Store.rehearse(
        program: program, in: url.provider, options: options, migration: migration)
      try StandardOutput.print(MigrationText.lines(report))
      if report.error != nil { throw ExitCode.failure }
      return
    }
    let migrated = try Store(program: program, in: url.provider, options: options, migration: migration)
    defer { try? migrated.close() }
    let changes = migrated.openingReport.schemaChanges.map(\.escapedForDisplay)
    try StandardOutput.print(changes.isEmpty ? ["there was nothing to change"] : changes)
  }
}
