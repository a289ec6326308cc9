public import Foundation
import QuarryBackend

/// A span of time in UTC by which dates are grouped: a year, a month, a day.
package enum DateSpan: String, CaseIterable, Sendable {
  case year, quarter, month, week, day, hour, minute

  /// The first instant of the span that a date is in; nil outside the years 0 to 9999.
  ///
  /// The calendar is the Gregorian one, also before 1582. Weeks begin on Monday.
  package func start(of date: Date) -> Date? {
    let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
    // More than the 8,000 years around 2001 that the calendar below has, and far from what an Int holds.
    guard seconds.magnitude < 1e12 else { return nil }
    let second = Int(seconds)
    let day = GregorianDay.quotient(second, 86_400).quotient
    guard let (year, month, _) = GregorianDay.date(day) else { return nil }
    let start =
      switch self {
      case .year: GregorianDay.number(year, 1, 1) * 86_400
      case .quarter: GregorianDay.number(year, (month - 1) / 3 * 3 + 1, 1) * 86_400
      case .month: GregorianDay.number(year, month, 1) * 86_400
      // Days are counted from a Monday.
      case .week: GregorianDay.quotient(day, 7).quotient * 7 * 86_400
      case .day: day * 86_400
      case .hour: GregorianDay.quotient(second, 3_600).quotient * 3_600
      case .minute: GregorianDay.quotient(second, 60).quotient * 60
      }
    return Date(timeIntervalSinceReferenceDate: Double(start))
  }

  /// The name of the column of this span: `month(placed)`.
  func name(_ column: String) -> String { "\(rawValue)(\(column))" }

  /// The span and the column of such a name; nil for another text.
  package static func parse(_ name: String) -> (span: DateSpan, column: String)? {
    guard let call = call(name), let span = DateSpan(rawValue: call.word.lowercased()) else { return nil }
    return (span, call.column)
  }

  /// The parts of `word(column)`; nil for another text.
  static func call(_ name: String) -> (word: String, column: String)? {
    guard name.utf8.last == UInt8(ascii: ")"), let open = name.utf8.firstIndex(of: UInt8(ascii: "(")) else {
      return nil
    }
    let column = String(name[name.utf8.index(after: open)...].dropLast())
    return (String(name[..<open]), GroupText.plain(column.trimmingBlanks))
  }

  /// The name of a column, or of a span of one, behind what leads to its object.
  static func prefixed(_ name: String, _ prefix: String) -> String {
    guard !prefix.isEmpty, let (span, column) = parse(name) else { return prefix + name }
    return span.name(prefix + column)
  }
}

/// The spans of time that the dates of a column are in, for groups: `\.placed.month`.
public struct DateSpanColumn<Value: Storable>: NamedColumn {
  private let name: String

  init(_ span: DateSpan, of column: String) {
    name = span.name(column)
  }

  /// The name of the column as `quarry aggregate` writes it: `month(placed)`.
  public static func storedName(of column: DateSpanColumn) -> String { column.name }
}

/// Spans of time of a column of dates, in UTC. The value of a group is the first instant of its span.
///
/// ```swift
/// let months = try store.grouped(Order.all, by: \.placed.month) { (count: $0.count(), total: $0.sum(\.total)) }
/// ```
extension NamedColumn where Value: DateValue {
  /// The years of the dates.
  public var year: DateSpanColumn<Value> { span(.year) }
  /// The quarters of the dates, which begin in January, April, July and October.
  public var quarter: DateSpanColumn<Value> { span(.quarter) }
  /// The months of the dates.
  public var month: DateSpanColumn<Value> { span(.month) }
  /// The weeks of the dates, which begin on Monday.
  public var week: DateSpanColumn<Value> { span(.week) }
  /// The days of the dates.
  public var day: DateSpanColumn<Value> { span(.day) }
  /// The hours of the dates.
  public var hour: DateSpanColumn<Value> { span(.hour) }
  /// The minutes of the dates.
  public var minute: DateSpanColumn<Value> { span(.minute) }

  private func span(_ span: DateSpan) -> DateSpanColumn<Value> {
    DateSpanColumn(span, of: Self.storedName(of: self))
  }
}

/// A date, optional or not.
public protocol DateValue: Storable {}
extension Date: DateValue {}
extension Optional: DateValue where Wrapped == Date {}
