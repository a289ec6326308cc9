import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryQuery

struct UpsertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upsert", abstract: "Stores one object: changes the object with its key, or adds it.",
    discussion: """
      The key is among the values of --default, which a new object gets. --set then changes the object, new or not, and reads \
      as in "quarry update": quarry upsert URL Word --default text=emma --default count=0 --set "count += 1" counts a word. \
      "quarry import" stores the rows of a file.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument

  @Option(
    name: .customLong("default"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A value of a new object, its key among them; can be given many times.", valueName: "name=value")
  )
  var defaults: [String]

  @Option(
    name: .customLong("set"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A change; can be given many times.", valueName: "name=value"))
  var assignments: [String] = []

  func validate() throws {
    if defaults.isEmpty { throw ValidationError("--default is missing: the key is among its values") }
  }

  func run() throws {
    let store = try store.open(.changing)
    defer { try? store.close() }
    let name = try model.name(in: store)
    let model = try store.model(named: name)
    var fields: [(name: String, value: Value)] = []
    for value in try defaults.flatMap({ try AssignmentText.parse($0, model) }) {
      guard value.operation == .set else {
        throw ValidationError("--default takes values: a calculation belongs to --set")
      }
      fields.append((value.property, value.value))
    }
    let changes = try assignments.flatMap { try AssignmentText.parse($0, model) }
    let isNew = try store.write { tx in try tx.records.upsert(into: name, default: Record(fields), changes) }
    try StandardOutput.print(isNew ? "added 1 row" : "changed 1 row")
  }
}
