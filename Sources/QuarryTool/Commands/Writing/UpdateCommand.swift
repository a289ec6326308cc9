import ArgumentParser

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Changes properties of the objects that fulfil a condition.",
    discussion: """
      --set city='New York' takes the value literally. A value in quotes, nil and calculations are read as in \
      conditions: --set note=nil, --set "name='nil'", --set "count += 1". All objects are changed or, after an error, \
      none.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var filter: RequiredWhereOption

  @Option(
    name: .customLong("set"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A change; can be given many times.", valueName: "name=value"))
  var assignments: [String]

  func validate() throws {
    if assignments.isEmpty { throw ValidationError("--set is missing") }
  }

  func run() throws {
    let store = try store.open(.changing)
    defer { try? store.close() }
    let name = try model.name(in: store)
    let model = try store.model(named: name)
    let query = try filter.query(name)
    let changes = try assignments.flatMap { try AssignmentText.parse($0, model) }
    let count = try store.write { tx in try tx.records.assign(query, changes) }
    try StandardOutput.print("updated \(CountText.rows(count))")
  }
}
