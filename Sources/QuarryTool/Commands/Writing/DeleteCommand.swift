import ArgumentParser

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Deletes the objects that fulfil a condition.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var filter: RequiredWhereOption

  func run() throws {
    let store = try store.open(.changing)
    defer { try? store.close() }
    let name = try model.name(in: store)
    let query = try filter.query(name)
    let count = try store.write { tx in try tx.records.delete(query) }
    try StandardOutput.print("deleted \(CountText.rows(count))")
  }
}
