package import Foundation

/// Dates as ISO 8601 writes them: `2024-05-01`, `2024-05-01T12:30`, `2024-05-01T12:30:15.25Z`, `…+02:00`.
///
/// A date without a zone is in UTC. Years follow the Gregorian calendar also before it was introduced, as the standard says.
/// Foundation changes to the Julian calendar there, takes fewer forms, and drops digits of a second.
package enum ISO8601Text {
  /// The date, exact to the nearest number of seconds; nil when the text is no date.
  package static func date(_ text: String) -> Date? {
    guard let reader = ISO8601Reader(Array(text.utf8), .free) else { return nil }
    // More digits than these change no number but those next to 2001.
    return date(reader.seconds, reader.fraction.prefix(18))
  }

  /// The text of a date that reads back as exactly the same, if there is one of at most nine digits of a second.
  package static func text(_ date: Date) -> String? {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.magnitude < 1e12 else { return nil }
    for digits in [0, 3, 6, 9] {
      let scale = [1, 1_000, 1_000_000, 1_000_000_000][digits / 3]
      let whole = Int(interval.rounded(.down))
      let part = Int(((interval - Double(whole)) * Double(scale)).rounded())
      guard part < scale else { continue }
      guard var text = calendarText(whole) else { return nil }
      if digits > 0 { text += ".\(padded(part, digits))" }
      text += "Z"
      if Self.date(text)?.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern { return text }
    }
    return nil
  }

  /// Seconds since 2001 of the first moment of the year 0 (`Date.distantPast` is in it) and of the year 10,000.
  private static let calendarRange = -63_145_526_400.0..<252_423_993_600.0

  /// The text of a date that reads back as exactly the same, whatever the date: the shortest decimal text of its seconds
  /// has whole seconds, which become the calendar's form, and a fraction, whose digits are kept. A date that the calendar
  /// cannot write in four digits of a year is `@` and the seconds since 2001: `@1e+300`, `@nan`.
  package static func exactText(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard calendarRange.contains(seconds) else { return "@\(seconds)" }
    var (whole, fraction) = decimal(seconds.magnitude)
    if seconds < 0 {
      // The calendar counts forward from the second before: -1.25 is -2 and .75.
      whole = -whole
      if !fraction.isEmpty {
        whole -= 1
        fraction = complement(fraction)
      }
    }
    guard var text = calendarText(whole) else { return "@\(seconds)" }
    if !fraction.isEmpty { text += "." + String(decoding: fraction, as: UTF8.self) }
    return text + "Z"
  }

  /// The shortest decimal text of a number that is not negative, as whole part and digits of the fraction.
  private static func decimal(_ value: Double) -> (Int, [UInt8]) {
    let whole = value.rounded(.down)
    if whole == value { return (Int(whole), []) }
    var text = Array(value.description.utf8)
    var power = 0
    if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
      // Only small numbers have both a fraction and an exponent: 5e-05.
      power = Int(String(decoding: text[(mark + 1)...], as: UTF8.self)) ?? 0
      text.removeSubrange(mark...)
    }
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
    var digits = Array(text[..<point]) + (point < text.count ? Array(text[(point + 1)...]) : [])
    var places = digits.count - point - power
    while places > digits.count { digits.insert(UInt8(ascii: "0"), at: 0) }
    while digits.count > 1, digits.last == UInt8(ascii: "0"), places > 0 {
      digits.removeLast()
      places -= 1
    }
    return (Int(whole), Array(digits.suffix(places)))
  }

  /// The digits of one minus a fraction that is not zero and does not end in a zero.
  private static func complement(_ fraction: [UInt8]) -> [UInt8] {
    var digits = fraction.map { 0x39 - ($0 - 0x30) }
    if let last = digits.last { digits[digits.count - 1] = last + 1 }
    // The last digit was one to nine, so that ten minus it is one to nine: there is no carry.
    return digits
  }

  /// The date nearest to whole seconds since 2001 and a decimal fraction that is added to them. One number is rounded
  /// once: adding a fraction to a large number of seconds would round twice.
  static func date(_ whole: Int, _ fraction: ArraySlice<UInt8>) -> Date? {
    let digits = fraction.dropLast(fraction.zerosAtEnd)
    let text: String
    if digits.isEmpty {
      text = "\(whole)"
    } else if whole >= 0 {
      text = "\(whole)." + String(decoding: digits, as: UTF8.self)
    } else {
      text = "-\(-(whole + 1))." + String(decoding: complement(Array(digits)), as: UTF8.self)
    }
    return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// Day and time of whole seconds since 2001; nil where the year has not four digits.
  private static func calendarText(_ whole: Int) -> String? {
    let (number, second) = GregorianDay.quotient(whole, 86_400)
    guard let (year, month, day) = GregorianDay.date(number) else { return nil }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension BidirectionalCollection<UInt8> {
  /// How many of the last digits are zeros.
  var zerosAtEnd: Int {
    reversed().prefix { $0 == UInt8(ascii: "0") }.count
  }
}
