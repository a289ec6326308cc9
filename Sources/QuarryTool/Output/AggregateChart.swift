import QuarryBackend
import QuarryCharts
import QuarryCore
import QuarryData

/// Groups as charts, one for each figure.
enum AggregateChart {
  /// Bars.
  ///
  /// - Parameters:
  ///   - rows: The values of the groups and then of the figures.
  ///   - groups: The names of the grouped columns.
  ///   - names: The names of the figures.
  static func bars(_ rows: [[Value]], groups: [String], _ names: [String]) -> [BarChart] {
    figures(names) { place in
      let bars = rows.compactMap { row -> BarChart.Bar? in
        let value = row[groups.count + place]
        guard let number = value.chartNumber else { return nil }
        return BarChart.Bar(label: label(row, groups), value: number, text: ExactText.text(value))
      }
      return bars.isEmpty ? nil : BarChart(bars, title: names[place])
    }
  }

  /// For an image: a line along the axis where the groups are dates, and bars elsewhere.
  static func image(_ rows: [[Value]], groups: [String], _ names: [String]) -> [any Chart] {
    guard groups.count == 1, rows.contains(where: { if case .date = $0[0] { true } else { false } }) else {
      return bars(rows, groups: groups, names)
    }
    // The order along the axis is that of time, whatever that of the rows.
    let rows = rows.filter { !$0[0].isNull }.sorted { ($0[0].axisNumber ?? 0) < ($1[0].axisNumber ?? 0) }
    return figures(names) { place in
      let points = rows.compactMap { row -> LineChart.Point? in
        let value = row[1 + place]
        guard let number = value.chartNumber else { return nil }
        return LineChart.Point(
          place: row[0].axisNumber, label: label(row, groups), figure: number, figureText: ExactText.text(value))
      }
      return points.isEmpty ? nil : LineChart(points, title: "\(names[place]) by \(groups[0])")
    }
  }

  private static func figures<C>(_ names: [String], _ chart: (Int) -> C?) -> [C] { names.indices.compactMap(chart) }

  private static func label(_ row: [Value], _ groups: [String]) -> String {
    zip(row, groups).map { value, name in
      value.isNull ? "nil" : DateSpan.parse(name)?.span.label(ExactText.text(value)) ?? ExactText.text(value)
    }.joined(separator: ", ")
  }
}

extension DateSpan {
  /// The part of an ISO 8601 date that tells its span: `2024` of a year, `2024-03` of a month.
  fileprivate func label(_ date: String) -> String {
    switch self {
    case .year: String(date.prefix(4))
    case .quarter, .month: String(date.prefix(7))
    case .week, .day: String(date.prefix(10))
    case .hour, .minute: String(date.prefix(16))
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
