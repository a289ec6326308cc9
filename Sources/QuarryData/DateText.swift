package import Foundation
import QuarryBackend

/// Dates as ISO 8601 date-times that give back exactly the same `Date`: the form of `ISO8601Text.exactText`, read and
/// written.
package enum DateText {
  package static func string(_ date: Date) -> String { ISO8601Text.exactText(date) }

  /// Reads `2001-02-03T04:05:06.789Z`, an offset such as `+02:00` in place of `Z`, and the form with `@`.
  static func parse(_ text: some BidirectionalCollection<UInt8>) -> Date? {
    if text.first == UInt8(ascii: "@") {
      return Double(String(decoding: text.dropFirst(), as: UTF8.self)).map(Date.init(timeIntervalSinceReferenceDate:))
    }
    return parseCalendar(text)?.date
  }

  /// Reads a date-time that ends in `Z` and is given back digit for digit, save zeros at the end of the fraction: what
  /// an import takes for a date. Nanoseconds are more than a `Date` holds, so such a text stays text.
  static func parseLossless(_ text: some BidirectionalCollection<UInt8>) -> Date? {
    guard text.last == UInt8(ascii: "Z"), let (date, fraction) = parseCalendar(text) else { return nil }
    if fraction.isEmpty { return date }
    // Without the zeros at the fraction's end, and without the point where only zeros followed it.
    let zeros = fraction.trailingZeros
    let written = text.dropLast(1 + zeros + (zeros == fraction.count ? 1 : 0))
    return string(date).utf8.dropLast().elementsEqual(written) ? date : nil
  }

  private static func parseCalendar(
    _ text: some BidirectionalCollection<UInt8>
  ) -> (date: Date, fraction: ArraySlice<UInt8>)? {
    guard text.count >= 20, text.count <= 64 else { return nil }
    let text = Array(text)
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in text[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...daysIn(month, year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }

    var zone = 19
    var fraction: ArraySlice<UInt8> = []
    if text[zone] == UInt8(ascii: ".") {
      zone = text[20...].firstIndex { !(0x30...0x39).contains($0) } ?? text.count
      fraction = text[20..<zone]
      guard !fraction.isEmpty else { return nil }
    }
    var offset = 0
    switch text.count - zone {
    case 1:
      guard text[zone] == UInt8(ascii: "Z") else { return nil }
    case 6:
      guard text[zone] == UInt8(ascii: "+") || text[zone] == UInt8(ascii: "-"), text[zone + 3] == UInt8(ascii: ":"),
        let hours = number(zone + 1..<zone + 3), let minutes = number(zone + 4..<zone + 6), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 3600 + minutes * 60) * (text[zone] == UInt8(ascii: "-") ? -1 : 1)
    default: return nil
    }
    let whole = days(Int64(year), month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
    return date(whole, fraction).map { ($0, fraction) }
  }

  /// The Double nearest to whole seconds and a decimal fraction, rounded once.
  private static func date(_ whole: Int64, _ fraction: ArraySlice<UInt8>) -> Date? {
    let digits = fraction.dropLast(fraction.trailingZeros)
    let text: String
    if digits.isEmpty {
      text = "\(whole)"
    } else if whole >= 0 {
      text = "\(whole)." + String(decoding: digits, as: UTF8.self)
    } else {
      text = "-\(-(whole + 1))." + String(decoding: ISO8601Text.complement(Array(digits)), as: UTF8.self)
    }
    return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// Days since 2001-01-01 in the proleptic Gregorian calendar.
  private static func days(_ year: Int64, _ month: Int, _ day: Int) -> Int64 {
    // Years begin in March here, so that the leap day is the last day of a year.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * Int64((month + 9) % 12) + 2) / 5 + Int64(day) - 1
    let daysBefore =
      shifted * 365 + shifted.quotientRoundedDown(4) - shifted.quotientRoundedDown(100)
      + shifted.quotientRoundedDown(400)
    return daysBefore + dayOfYear - 730_791
  }

  private static func daysIn(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  fileprivate func quotientRoundedDown(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension BidirectionalCollection<UInt8> {
  fileprivate var trailingZeros: Int {
    reversed().prefix { $0 == UInt8(ascii: "0") }.count
  }
}
