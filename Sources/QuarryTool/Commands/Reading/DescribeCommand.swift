import ArgumentParser
import QuarryBackend
import QuarryCharts
import QuarryCore

struct DescribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Prints figures of each property: nils, different values, range, mean, histogram.",
    discussion: """
      Different values are counted exactly up to 10,000 of them or 4 MB; beyond that the output says "more than" and a count. \
      The most frequent values and their counts are always exact: values are left out where it is not certain that they \
      belong there. Objects are read in one transaction and in bounded memory.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

  @OptionGroup var store: StoreArgument
  @OptionGroup var model: ModelArgument
  @OptionGroup var filter: WhereOption
  @OptionGroup var columns: ColumnsOption

  @Option(help: "How to print: text or json.")
  var format = Format.text

  @Option(help: ArgumentHelp("How many of the most frequent values to print.", valueName: "number"))
  var top = 5

  @Option(help: ArgumentHelp("The maximum number of ranges in a histogram; 0 for no histogram.", valueName: "number"))
  var buckets = 10

  @OptionGroup var plot: PlotOption

  func validate() throws {
    guard (0...1000).contains(top) else { throw ValidationError("--top is from 0 to 1000") }
    guard (0...1000).contains(buckets) else { throw ValidationError("--buckets is from 0 to 1000") }
  }

  func run() throws {
    let key = store.key.source
    let store = try store.open(.reading)
    defer { try? store.close() }
    let query = try filter.query(model.name(in: store))
    let options = ModelSummary.Options(top: top, buckets: buckets)
    let summary = try store.read { tx in try ModelSummary(query, columns: columns.names, options, in: tx) }
    try plot.write(SummaryText.charts(summary), key)
    switch format {
    case .text: try StandardOutput.print(SummaryText.lines(summary, width: StandardOutput.width ?? 100))
    case .json: try StandardOutput.print(SummaryText.json(summary))
    }
  }
}
