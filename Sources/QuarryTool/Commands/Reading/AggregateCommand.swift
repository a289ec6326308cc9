import ArgumentParser
import QuarryBackend
import QuarryCharts
import QuarryCore
import QuarryData
import QuarryQuery

struct AggregateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aggregate",
    abstract: "Prints figures of columns, of all objects or by the values of other columns.",
    discussion: """
      --compute takes figures with commas between them: count, count(a), distinct(a), sum(a), average(a), min(a), max(a), \
      median(a), percentile(a, 90) or p90(a), deviation(a), first(a, b) and last(a, -b) by the order of b, each with "as \
      NAME" behind it where it is to have a name of its own. --function and --of combine each function with each column. \
      --having and --sort know the columns of the output, and any figure besides: --having "count > 10" --sort "-sum(a)". \
      Nil is left out. Columns may lead through references: --by author.country. Dates are grouped by spans of time in UTC: \
      --by "month(placed)", with year, quarter, month, week, day, hour and minute. One figure without --by is printed alone, \
      as nil where there is nothing to make it of.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Figures, such as \"count, sum(price), p90(price)\"; can be given many times.", valueName: "figures"))
  var compute: [String] = []

  @Option(help: ArgumentHelp("Functions: \(GroupFunction.names.joined(separator: ", ")).", valueName: "a,b"))
  var function: String?

  @Option(help: ArgumentHelp("The columns of --function; count can do without one.", valueName: "a,b"))
  var of: String?

  @Option(help: ArgumentHelp("The columns to group by.", valueName: "a,b"))
  var by: String?

  @OptionGroup var filter: WhereOption

  @Option(parsing: .unconditional, help: ArgumentHelp("Which groups to print.", valueName: "condition"))
  var having: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Columns and figures to sort by, a minus sign before those in descending order.", valueName: "-a,b"))
  var sort: String?

  @Option(help: "The maximum number of groups.")
  var limit: Int?

  @OptionGroup var display: DisplayOptions
  @OptionGroup var plot: PlotOption

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is negative") }
    _ = try report()
  }

  private func groups() throws -> [String] {
    guard let by else { return [] }
    let names = try usage { () throws(StorageError) in try GroupText.names(by) }
    if names.contains("") { throw ValidationError("--by has an empty name") }
    for (place, name) in names.enumerated() where names[..<place].contains(where: { $0.utf8.elementsEqual(name.utf8) })
    {
      throw ValidationError("--by has \(name.excerpt) twice")
    }
    return names
  }

  /// What the options ask for.
  private func report() throws -> GroupReport {
    var terms: [GroupTerm] = []
    for text in compute { terms += try usage { () throws(StorageError) in try GroupTerm.list(text) } }
    terms += try combined()
    guard !terms.isEmpty else { throw ValidationError("no figure is given: --compute \"count, sum(COLUMN)\"") }
    let report = GroupReport(by: try groups(), terms, having: having, order: sort, limit: limit)
    try usage { () throws(StorageError) in try report.checkNames() }
    return report
  }

  /// The terms of --function and --of.
  private func combined() throws -> [GroupTerm] {
    guard let function else {
      if of != nil { throw ValidationError("--of needs --function") }
      return []
    }
    return try usage { () throws(StorageError) in
      let functions = try GroupText.split(function).map(\.trimmingBlanks)
      let columns = try of.map { of throws(StorageError) in try GroupText.split(of).map(\.trimmingBlanks) } ?? []
      if let missing = functions.first(where: { columns.isEmpty && GroupFunction(name: $0) != .count }) {
        if missing.loweredASCII != "percentile", GroupFunction(name: missing) == nil {
          _ = try GroupTerm("\(missing)(a)")
        }
        throw StorageError(.invalidQuery, "--function \(missing) needs --of")
      }
      let isOne = functions.count * max(1, columns.count) == 1 && compute.isEmpty
      var terms: [GroupTerm] = []
      for function in functions {
        if columns.isEmpty { terms.append(try GroupTerm(function)) }
        for column in columns {
          var term = try GroupTerm("\(function)(\(column))")
          // One figure is headed by its function alone.
          if isOne { term.name = function }
          terms.append(term)
        }
      }
      return terms
    }
  }

  /// A text that does not parse is a usage error.
  private func usage<R>(_ body: () throws(StorageError) -> R) throws -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw ValidationError(error.message.escapedForDisplay)
    }
  }

  func run() throws {
    let key = store.key.source
    let store = try store.open(.reading)
    defer { try? store.close() }
    let report = try report()
    let query = try filter.query(model.name(in: store))
    let rows = try store.read { tx in try report.rows(query, tx) }
    let figures = report.figures.map(\.name)
    if plot.file != nil { try plot.write(AggregateChart.image(rows, groups: report.groups, figures), key) }
    if plot.plot == "text" {
      let charts = AggregateChart.bars(rows, groups: report.groups, figures)
      let width = StandardOutput.width ?? 100
      let lines = charts.map { [$0.title.escapedForDisplay] + $0.lines(width: width, indent: "  ") }
      return try StandardOutput.print(Array(lines.joined(separator: [""])))
    }
    try print(rows, report.names, isAlone: report.groups.isEmpty && report.figures.count == 1)
  }

  private func print(_ rows: [[Value]], _ names: [String], isAlone: Bool) throws {
    if isAlone, display.format == .table {
      return try StandardOutput.print(rows.map { TableWriter.cell($0[0]) })
    }
    let bound = display.rows(limit) ?? rows.count
    var writer = display.writer()
    try writer.begin(names)
    for row in rows.prefix(bound) { try writer.write(row) }
    try writer.finish()
    if rows.count > bound { try StandardOutput.print(DisplayOptions.more(rows.count - bound)) }
  }
}
