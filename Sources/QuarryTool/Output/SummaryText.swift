import QuarryBackend
import QuarryCharts
import QuarryData

/// The summary of a model for people, and as JSON.
enum SummaryText {
  /// - Parameter width: The greatest width of a line of a chart.
  static func lines(_ summary: ModelSummary, width: Int) -> [String] {
    var lines = ["\(summary.model.name.escapedForDisplay): \(CountText.rows(summary.rows))"]
    for property in summary.properties { lines += [""] + Self.lines(property, width) }
    return lines
  }

  private static func lines(_ summary: PropertySummary, _ width: Int) -> [String] {
    let type =
      summary.property.typeName + (summary.isKey ? ", primary key" : "")
      + (summary.generation.map { ", generated: \($0.words)" } ?? "")
      + (summary.property.search.map { ", \($0.words)" } ?? "")
    var lines = ["\(summary.property.name.escapedForDisplay)  \(type)"]
    func add(_ name: String, _ text: String) {
      let name = name + String(repeating: " ", count: max(0, 14 - name.count))
      let line = "  " + name + text
      lines.append(DisplayWidth.of(line) > max(20, width) ? DisplayWidth.prefix(line, max(20, width) - 1) + "…" : line)
    }
    if summary.property.isOptional { add("nils", "\(summary.nils)" + share(summary.nils, of: summary.rows)) }
    add("distinct", (summary.isDistinctBound ? "more than " : "") + "\(summary.distinct)")
    if let value = summary.minimum { add("minimum", text(value)) }
    if let value = summary.maximum { add("maximum", text(value)) }
    if let value = summary.mean { add("mean", text(value)) }
    if let frequent = summary.mostFrequent, !isFlat(summary) {
      if frequent.isEmpty {
        add("most frequent", "no value occurs more than \(CountText.times(summary.unlistedBound))")
      } else {
        lines.append("  most frequent")
        lines += chart(summary, frequent).lines(width: width, indent: "    ")
      }
    }
    if let chart = histogram(summary) {
      lines.append("  histogram")
      lines += chart.lines(width: width, indent: "    ")
      if let outside = summary.histogram?.outside, outside > 0 {
        lines.append("    NaN and infinities: \(outside)")
      }
    }
    return lines
  }

  /// Whether every value occurs once, so that none is more frequent than the others.
  private static func isFlat(_ summary: PropertySummary) -> Bool {
    if !summary.isDistinctBound && summary.distinct == summary.values { return true }
    return summary.mostFrequent?.isEmpty == true && summary.unlistedBound == 0
  }

  private static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0, part > 0 else { return "" }
    let share = Double(part) / Double(whole) * 100
    return share < 0.1 ? " (less than 0.1 %)" : " (\((share * 10).rounded() / 10) %)"
  }

  private static func text(_ value: Value) -> String { TableWriter.cell(value) }

  private static func chart(_ summary: PropertySummary, _ frequent: [(value: Value, count: Int)]) -> BarChart {
    BarChart(
      frequent.map { BarChart.Bar(label: ExactText.text($0.value), value: Double($0.count), text: "\($0.count)") },
      title: summary.property.name)
  }

  /// The histogram as a chart; nil where there is none.
  static func histogram(_ summary: PropertySummary) -> BarChart? {
    guard let histogram = summary.histogram else { return nil }
    return BarChart(
      zip(histogram.labels, histogram.counts).map { BarChart.Bar(label: $0, value: Double($1), text: "\($1)") },
      title: summary.property.name)
  }

  /// The charts of all properties: histograms, and the most frequent values of those that have none.
  static func charts(_ summary: ModelSummary) -> [BarChart] {
    summary.properties.compactMap { property in
      if let chart = histogram(property) { return chart }
      guard let frequent = property.mostFrequent, !frequent.isEmpty, !isFlat(property) else { return nil }
      return chart(property, frequent)
    }
  }

  // MARK: JSON

  static func json(_ summary: ModelSummary) -> String {
    let properties = summary.properties.map { summary -> Value in
      var members: [Value.Member] = [
        .init("name", .string(summary.property.name)), .init("type", .string(summary.property.typeName)),
        .init("isPrimaryKey", .bool(summary.isKey)), .init("nils", number(summary.nils)),
        .init("distinct", number(summary.distinct)), .init("hasMoreDistinct", .bool(summary.isDistinctBound)),
        .init("minimum", summary.minimum ?? .null), .init("maximum", summary.maximum ?? .null),
        .init("mean", summary.mean ?? .null),
      ]
      if let generation = summary.generation {
        members.append(.init("keyGeneration", .string(generation.rawValue)))
      }
      let frequent = summary.mostFrequent?.map {
        Value.object(unordered: [.init("value", $0.value), .init("count", number($0.count))])
      }
      members.append(.init("mostFrequent", frequent.map(Value.array) ?? .null))
      let ranges = summary.histogram.map { histogram in
        zip(histogram.edges, histogram.counts).map {
          Value.object(unordered: [.init("from", $0), .init("count", number($1))])
        }
      }
      members.append(.init("histogram", ranges.map(Value.array) ?? .null))
      return .object(unordered: members)
    }
    return ExactText.json(
      .object(unordered: [
        .init("model", .string(summary.model.name)), .init("rows", number(summary.rows)),
        .init("properties", .array(properties)),
      ]))
  }

  private static func number(_ count: Int) -> Value { .int(Int64(count)) }
}
