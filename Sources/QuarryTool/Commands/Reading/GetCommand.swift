import ArgumentParser
import QuarryBackend
import QuarryInspect

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Prints the object with a key.",
    discussion: """
      Write -- before a key that begins with a minus sign. The model may be left out where the store has only one.
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: ArgumentHelp("The name of the model, and the primary key.", valueName: "[model] key"))
  var words: [String]

  func validate() throws {
    guard words.count == 1 || words.count == 2 else {
      throw ValidationError(words.isEmpty ? "the key is missing" : "there are more arguments than a model and a key")
    }
  }

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let key = words[words.count - 1]
    let model = try store.model(named: ModelArgument.resolve(words.count == 2 ? words[0] : nil, in: store))
    let value = try FieldText.key(key, of: model)
    guard let record = try store.read({ tx in try tx.records.get(in: model.name, key: value) }) else {
      throw StorageError(.notFound, "there is no object with that key", model: model.name, key: key)
    }
    var writer = TableWriter(StandardOutput.sink(), width: nil)
    try writer.begin(["property", "value"])
    for name in model.propertyNames { try writer.write([.string(name), record[name] ?? .null]) }
    try writer.finish()
  }
}
