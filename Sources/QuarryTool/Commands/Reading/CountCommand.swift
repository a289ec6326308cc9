import ArgumentParser

struct CountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Prints the number of objects.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var filter: WhereOption

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let name = try model.name(in: store)
    let query = try filter.query(name)
    let count = try store.read { tx in try tx.records.count(query) }
    try StandardOutput.print(String(count))
  }
}
