import ArgumentParser
import QuarryBackend
import QuarryData

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Prints the object with a key.",
    discussion: "Write -- before a key that begins with a minus sign.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument

  @Argument(help: "The primary key.")
  var key: String

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let model = try store.model(named: model.name)
    let property = model.keyProperty
    guard let value = TextConversion.value(key.utf8, as: property) else {
      throw StorageError(
        .invalidValue, "\(key.excerpt) is not of type \(property.typeName)", model: model.name, property: property.name)
    }
    guard let record = try store.read({ tx in try tx.records.get(in: model.name, key: value) }) else {
      throw StorageError(.notFound, "there is no object with that key", model: model.name, key: key)
    }
    var writer = TableWriter(StandardOutput.sink(), width: nil)
    try writer.begin(["property", "value"])
    for name in model.propertyNames { try writer.write([.string(name), record[name] ?? .null]) }
    try writer.finish()
  }
}
