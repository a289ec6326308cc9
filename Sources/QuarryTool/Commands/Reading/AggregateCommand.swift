import ArgumentParser
import QuarryBackend
import QuarryData

struct AggregateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aggregate",
    abstract: "Prints a figure of a column, of all objects or by the values of another column.",
    discussion:
      "Nil is left out. Without --by the figure is printed alone, as nil where there is nothing to make it of.")

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument

  @Option(help: ArgumentHelp("sum, average, min, max or count.", valueName: "function"))
  var function: FunctionName

  @Option(help: ArgumentHelp("The column; count can do without one.", valueName: "column"))
  var of: String?

  @Option(help: ArgumentHelp("The column to group by.", valueName: "column"))
  var by: String?

  @OptionGroup var filter: WhereOption
  @OptionGroup var format: FormatOption

  func validate() throws {
    if of == nil, function != .count { throw ValidationError("--function \(function.rawValue) needs --of") }
  }

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let query = try filter.query(model.name)
    let rows = try store.read { tx in
      try tx.records.aggregate(query, groupedBy: by.map { [$0] } ?? [], [(function.function, of)])
    }
    guard let by else {
      let value = rows.first?.values.first ?? .null
      return try StandardOutput.print(value.isNull ? "nil" : ValueText.string(value).escapedForDisplay)
    }
    var writer = format.format.writer(StandardOutput.sink(), width: StandardOutput.width)
    try writer.begin([by, function.rawValue])
    for row in rows { try writer.write(row.groups + row.values) }
    try writer.finish()
  }
}

/// The functions as they are called on the command line.
enum FunctionName: String, CaseIterable, ExpressibleByArgument {
  case sum, average, min, max, count

  var function: AggregateFunction {
    switch self {
    case .sum: .sum
    case .average: .average
    case .min: .min
    case .max: .max
    case .count: .count
    }
  }
}
