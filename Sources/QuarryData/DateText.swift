package import Foundation

/// Dates as ISO 8601 date-times that give back exactly the same `Date`.
///
/// A `Date` is a Double of seconds since 2001-01-01T00:00:00Z. Its shortest decimal text has whole seconds and a
/// fraction; the whole seconds become the calendar's form and the fraction's digits are kept as they are. Dates that the
/// calendar cannot write in four digits of a year are written as `@` and the seconds: `@1e+300`, `@nan`.
package enum DateText {
  /// Seconds since 2001 of the first moment of the year 0 (`Date.distantPast` is in it) and of the year 10,000.
  private static let calendarRange = -63_145_526_400.0..<252_423_993_600.0

  package static func string(_ date: Date) -> String {
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
    let day = whole.quotientRoundedDown(86_400)
    let second = Int(whole - day * 86_400)
    let (year, month, dayOfMonth) = civil(day)
    var text = pad(Int(year), 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2)
    text += "T" + pad(second / 3600, 2) + ":" + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2)
    if !fraction.isEmpty { text += "." + String(decoding: fraction, as: UTF8.self) }
    return text + "Z"
  }

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
      text = "-\(-(whole + 1))." + String(decoding: complement(Array(digits)), as: UTF8.self)
    }
    return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// The shortest decimal text of a number that is not negative, as whole part and digits of the fraction.
  private static func decimal(_ value: Double) -> (Int64, [UInt8]) {
    let whole = value.rounded(.down)
    if whole == value { return (Int64(whole), []) }
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
    return (Int64(whole), Array(digits.suffix(places)))
  }

  /// The digits of one minus a fraction that is not zero and does not end in a zero.
  private static func complement(_ fraction: [UInt8]) -> [UInt8] {
    var digits = fraction.map { 0x39 - ($0 - 0x30) }
    if let last = digits.last { digits[digits.count - 1] = last + 1 }
    // The last digit was one to nine, so that ten minus it is one to nine: there is no carry.
    return digits
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

  private static func civil(_ day: Int64) -> (year: Int64, month: Int, day: Int) {
    // Days since the first of March of the year 0, cut into cycles of 400 years.
    let shifted = day + 730_791
    let cycle = shifted.quotientRoundedDown(146_097)
    let dayOfCycle = shifted - cycle * 146_097
    let year = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let civilYear = year + cycle * 400 + (month >= 10 ? 1 : 0)
    return (civilYear, Int(month >= 10 ? month - 9 : month + 3), Int(dayOfMonth))
  }

  private static func daysIn(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func pad(_ value: Int, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
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
