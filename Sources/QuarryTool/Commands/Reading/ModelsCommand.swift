import ArgumentParser
import QuarryData

struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "Prints the names of the models in a store, one on each line.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    try StandardOutput.print(store.models().map(\.name.escapedForDisplay))
  }
}
