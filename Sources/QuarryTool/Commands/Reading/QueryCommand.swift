import ArgumentParser
import QuarryBackend

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Prints objects.",
    discussion: """
      In a table nil is printed as nil, control characters as escapes, and on a terminal columns are cut so that lines \
      fit; json, jsonl and csv have everything. A column may lead through references: --columns title,author.name.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var options: QueryOptions
  @OptionGroup var columns: ColumnsOption

  @OptionGroup var related: WithOption
  @OptionGroup var format: FormatOption

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let query = try options.query(model.name)
    // A relation that is not there is an error with --columns, too.
    let all = try store.read { tx in try tx.records.columns(of: model.name, with: related.names) }
    let names = columns.names ?? all
    var writer = format.format.writer(StandardOutput.sink(), width: StandardOutput.width)
    _ = try store.read { tx in try tx.write(query, names, to: &writer) }
  }
}
