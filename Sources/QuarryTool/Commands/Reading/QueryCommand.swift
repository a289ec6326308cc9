import ArgumentParser
import QuarryBackend

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Prints objects.",
    discussion: """
      In a table nil is printed as nil and control characters as escapes. On a terminal, and with --width, tables fit: \
      columns are cut, a few rows that do not fit are printed one value on a line, and of more rows the last columns are \
      left out. On a terminal a table ends after \(DisplayOptions.terminalRows) rows. json, jsonl and csv have everything. \
      A column may lead through references: --columns title,author.name.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var options: QueryOptions
  @OptionGroup var columns: ColumnsOption

  @OptionGroup var related: WithOption
  @OptionGroup var display: DisplayOptions

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let name = try model.name(in: store)
    var query = try options.query(name)
    let bound = display.rows(query.limit)
    let whole = query
    if let bound { query.limit = bound }
    // A relation that is not there is an error with --columns, too.
    let all = try store.read { tx in try tx.records.columns(of: name, with: related.names) }
    let names = columns.names ?? all
    var writer = display.writer()
    let rest = try store.read { tx in
      let rows = try tx.write(query, names, to: &writer)
      return rows == bound ? try tx.records.count(whole) - rows : 0
    }
    if rest > 0 { try StandardOutput.print(DisplayOptions.more(rest)) }
  }
}
