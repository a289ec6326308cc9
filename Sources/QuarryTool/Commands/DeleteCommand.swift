import ArgumentParser

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Deletes all objects that fulfil a condition.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Which objects; TRUEPREDICATE for all of them.", valueName: "condition"))
  var condition: String

  func run() throws {
    let store = try store.open(.changing)
    defer { try? store.close() }
    let query = try WhereOption.query(model.name, condition)
    let count = try store.write { tx in try tx.deleteRecords(query) }
    try StandardOutput.print("deleted \(count) \(count == 1 ? "row" : "rows")")
  }
}
