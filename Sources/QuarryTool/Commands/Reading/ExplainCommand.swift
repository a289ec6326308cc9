import ArgumentParser

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Prints how a query would be executed.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var options: QueryOptions

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let name = try model.name(in: store)
    let query = try options.query(name)
    let plan = try store.read { tx in try tx.records.explain(query) }
    try StandardOutput.print(plan.description)
  }
}
