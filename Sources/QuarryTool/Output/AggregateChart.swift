import QuarryBackend
import QuarryCore
import QuarryData

/// Groups as bars, one chart for each figure.
enum AggregateChart {
  /// - Parameters:
  ///   - rows: The values of the groups and then of the figures.
  ///   - groups: The number of grouped columns.
  static func charts(_ rows: [[Value]], groups: Int, _ names: [String]) -> [BarChart] {
    names.enumerated().compactMap { place, name in
      let bars = rows.compactMap { row -> BarChart.Bar? in
        let value = row[groups + place]
        guard let number = value.chartNumber else { return nil }
        let label = row.prefix(groups).map { $0.isNull ? "nil" : ExactText.text($0) }.joined(separator: ", ")
        return BarChart.Bar(label: label, value: number, text: ExactText.text(value))
      }
      return bars.isEmpty ? nil : BarChart(title: name, bars: bars)
    }
  }
}

extension Value {
  /// The length of a bar; nil for what is no number.
  fileprivate var chartNumber: Double? {
    if case .date = self { return nil }
    return axisNumber
  }
}
