import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Groups of dates by spans of time.
enum GroupSpanCases {
  private static let texts = [
    "2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z", "2024-03-31T12:00:00Z", "2023-12-31T23:59:59Z",
    "2024-01-01T00:00:00Z",
  ]

  private static func measurements(
    _ name: String, _ summary: String, _ texts: [String] = texts,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("GRP.\(name)", ["GRP-8"], summary, within: .seconds(20)) { kit in
      let store = try kit.store(Measurement.self)
      try store.insert(
        contentsOf: texts.enumerated().map { number, text in
          let date = try date(text)
          return Measurement(number, date, checked: number % 2 == 0 ? date : nil, value: Double(number))
        })
      try body(store)
    }
  }

  /// The instant of such a text, at most with milliseconds: `2024-02-29T12:30:00Z`.
  private static func date(_ text: String) throws -> Date {
    guard let date = ISO8601Text.date(text) else {
      throw ConformanceFailure(message: "\(text) is no date", file: #fileID, line: #line)
    }
    return date
  }

  private static func dates(_ texts: [String]) throws -> [Date] { try texts.map(date) }

  static let all: [ConformanceCase] = [
    measurements("spans", "The value of a group is the first instant of its year, quarter, month, week or day.") {
      store in
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.year) { $0.count() }.map(\.key),
        dates(["2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z"]))
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.quarter) { $0.count() }.map(\.key),
        dates(["2023-10-01T00:00:00Z", "2024-01-01T00:00:00Z"]))
      let months = try store.grouped(Measurement.all, by: \.taken.month) { (count: $0.count(), sum: $0.sum(\.value)) }
      try expectEqual(
        months.map(\.key),
        dates(["2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"]))
      try expectEqual(months.map(\.count), [1, 1, 1, 2])
      try expectEqual(months.map(\.sum), [3, 4, 0, 3])
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.day) { $0.count() }.map(\.key),
        dates([
          "2023-12-31T00:00:00Z", "2024-01-01T00:00:00Z", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z",
          "2024-03-31T00:00:00Z",
        ]))
    },
    measurements("weeks", "Weeks begin on Monday.") { store in
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.week) { $0.count() }.map(\.key),
        dates(["2023-12-25T00:00:00Z", "2024-01-01T00:00:00Z", "2024-02-26T00:00:00Z", "2024-03-25T00:00:00Z"]))
    },
    measurements(
      "hours", "Hours and minutes begin with their first instant, before 2001 and before 1970 too.",
      ["2001-01-01T00:00:00Z", "2000-12-31T23:59:59.999Z", "1969-12-31T23:30:30Z", "1969-12-31T23:30:59Z"]
    ) { store in
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.hour) { $0.count() }.map(\.key),
        dates(["1969-12-31T23:00:00Z", "2000-12-31T23:00:00Z", "2001-01-01T00:00:00Z"]))
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.minute) { $0.count() }.map(\.key),
        dates(["1969-12-31T23:30:00Z", "2000-12-31T23:59:00Z", "2001-01-01T00:00:00Z"]))
    },
    measurements(
      "early-dates", "The calendar is the Gregorian one, also before 1582.",
      ["1500-02-28T12:00:00Z", "1500-03-01T12:00:00Z", "0000-02-29T00:00:00Z", "9999-12-31T23:59:59Z"]
    ) { store in
      try expectEqual(
        try store.grouped(Measurement.all, by: \.taken.month) { $0.count() }.map(\.key),
        dates(["0000-02-01T00:00:00Z", "1500-02-01T00:00:00Z", "1500-03-01T00:00:00Z", "9999-12-01T00:00:00Z"]))
    },
    measurements("spans-of-nil", "Nil is a group of its own, and comes first.") { store in
      let rows = try store.grouped(Measurement.all, by: \.checked.month, \.taken.year) { $0.count() }
      try expectEqual(
        rows.map(\.key.0),
        [nil, nil] + dates(["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"]))
      try expectEqual(rows.map(\.value), [1, 1, 1, 1, 1])
    },
    measurements("spans-in-figures", "Figures may use spans, and so may conditions and orders of groups.") { store in
      let all = try store.figures(of: Measurement.all) {
        (days: $0.distinct(\.taken.day), years: $0.distinct(\.taken.year), last: $0.max(\.taken.quarter))
      }
      try expect(all.days == 5 && all.years == 2)
      try expectEqual(all.last, try date("2024-01-01T00:00:00Z"))
      let rows = try store.records.grouped(
        QueryTree(model: "Measurement"), by: ["month(taken)"], "count, distinct(day(taken)) as days",
        having: "month(taken) > '2024-01-01T00:00:00Z'", sortedBy: "-month(taken)")
      try expectEqual(rows.map { $0["days"] }, [2, 1])
      try expectEqual(
        rows.map { $0["month(taken)"] }, dates(["2024-03-01T00:00:00Z", "2024-02-01T00:00:00Z"]).map { .date($0) })
    },
    measurements("no-spans", "A span of what is no date, and of a date outside the calendar, is refused.") { store in
      let query = QueryTree(model: "Measurement")
      for name in ["month(value)", "month(nothing)", "decade(taken)", "month()", "month(taken"] {
        try expectError(.invalidQuery, name) { try store.records.grouped(query, by: [name], "count") }
      }
      try store.insert(Measurement(99, Date(timeIntervalSinceReferenceDate: 1e15)))
      let error = try expectError(.invalidValue) {
        try store.grouped(Measurement.all, by: \.taken.month) { $0.count() }
      }
      try expectEqual(error.model, "Measurement")
      try expectEqual(try store.grouped(Measurement.all, by: \.taken) { $0.count() }.count, 6, "without a span")
    },
  ]
}
