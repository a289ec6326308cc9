import ArgumentParser

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the properties and indexes of a model, or of all models.")

  @OptionGroup var store: StoreArgument

  @Argument(help: "The name of a model.")
  var model: String?

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let models = try model.map { [try store.model(named: $0)] } ?? store.models()
    let version = store.schemaVersion > 0 ? [["version \(store.schemaVersion)"]] : []
    try StandardOutput.print(Array((version + models.map(SchemaText.lines)).joined(separator: [""])))
  }
}
