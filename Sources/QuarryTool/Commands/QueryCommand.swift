import ArgumentParser
import QuarryBackend

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Prints objects.",
    discussion: """
      In a table nil is printed as nil, control characters as escapes, and on a terminal columns are cut so that lines \
      fit; json, jsonl and csv have everything.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var options: QueryOptions
  @OptionGroup var columns: ColumnsOption
  @OptionGroup var format: FormatOption

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let query = try options.query(model.name)
    let names = try columns.names ?? store.model(named: model.name).propertyNames
    var writer = format.format.writer(StandardOutput.sink(), width: StandardOutput.width)
    _ = try store.read { tx in try tx.write(query, names, to: &writer) }
  }
}
