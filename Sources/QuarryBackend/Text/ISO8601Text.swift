public import Foundation

/// Dates as ISO 8601 writes them: `2024-05-01`, `2024-05-01T12:30`, `2024-05-01T12:30:15.25Z`, `…+02:00`.
///
/// A date without a zone is in UTC. Years are those of the Gregorian calendar also before it was introduced, as the
/// standard says; Foundation changes to the Julian one there, takes fewer forms, and drops digits of a second.
public enum ISO8601Text {
  /// Seconds from 1970 to 2001, in days.
  private static let referenceDay = 11_323

  /// The date, exact to the nearest number of seconds; nil when the text is no date.
  public static func date(_ text: String) -> Date? {
    var reader = Reader(bytes: Array(text.utf8))
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), (1...12).contains(month), day >= 1, day <= days(month, year)
    else { return nil }
    var seconds = (dayNumber(year, month, day) - referenceDay) * 86_400
    var fraction: [UInt8] = []
    if !reader.isAtEnd {
      guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.number(2), reader.skip(":"),
        let minute = reader.number(2), hour < 24, minute < 60
      else { return nil }
      seconds += hour * 3_600 + minute * 60
      if reader.skip(":") {
        guard let second = reader.number(2), second < 60 else { return nil }
        seconds += second
        if reader.skip(".") || reader.skip(",") {
          fraction = reader.digits()
          guard !fraction.isEmpty else { return nil }
        }
      }
      guard let zone = reader.zone() else { return nil }
      seconds -= zone
    }
    guard reader.isAtEnd else { return nil }
    return Date(timeIntervalSinceReferenceDate: interval(seconds, fraction))
  }

  /// The text of a date that reads back as exactly the same, if there is one of at most nine digits of a second.
  public static func text(_ date: Date) -> String? {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.magnitude < 1e12 else { return nil }
    for digits in [0, 3, 6, 9] {
      let scale = [1, 1_000, 1_000_000, 1_000_000_000][digits / 3]
      let whole = Int(interval.rounded(.down))
      let part = Int(((interval - Double(whole)) * Double(scale)).rounded())
      guard part < scale else { continue }
      let (day, second) = whole.quotientAndRemainder(floored: 86_400)
      guard let (year, month, monthDay) = civil(day + referenceDay) else { return nil }
      var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(monthDay, 2))T"
      text += "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
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
  public static func exactText(_ date: Date) -> String {
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
    let (day, second) = whole.quotientAndRemainder(floored: 86_400)
    guard let (year, month, monthDay) = civil(day + referenceDay) else { return "@\(seconds)" }
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(monthDay, 2))T"
    text += "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
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
  package static func complement(_ fraction: [UInt8]) -> [UInt8] {
    var digits = fraction.map { 0x39 - ($0 - 0x30) }
    if let last = digits.last { digits[digits.count - 1] = last + 1 }
    // The last digit was one to nine, so that ten minus it is one to nine: there is no carry.
    return digits
  }

  private static func interval(_ seconds: Int, _ fraction: [UInt8]) -> Double {
    let digits = fraction.reversed().drop { $0 == 0x30 }.reversed().prefix(18)
    guard !digits.isEmpty else { return Double(seconds) }
    // One number is rounded once: adding a fraction to a large number of seconds would round twice.
    var units = Int128(seconds)
    for _ in digits { units *= 10 }
    var part: Int128 = 0
    for digit in digits { part = part * 10 + Int128(digit - 0x30) }
    units += part
    return Double("\(units)e-\(digits.count)") ?? Double(seconds)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func days(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days of the years before this one, counted from the year 0.
  private static func daysBefore(_ year: Int) -> Int {
    guard year > 0 else { return 0 }
    let before = year - 1
    return year * 365 + before / 4 - before / 100 + before / 400 + 1
  }

  /// The days since 1970-01-01 in the Gregorian calendar, also for dates before it was introduced.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    var number = daysBefore(year) - daysBefore(1_970) + day - 1
    for earlier in 1..<month { number += days(earlier, year) }
    return number
  }

  /// The date that many days after 1970-01-01; nil where the year has not four digits.
  private static func civil(_ dayNumber: Int) -> (year: Int, month: Int, day: Int)? {
    // Days since the first of March of the year 0, cut into cycles of 400 years: the leap day is the last of a year.
    let (cycle, dayOfCycle) = (dayNumber + 719_468).quotientAndRemainder(floored: 146_097)
    let year = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let civilYear = year + cycle * 400 + (month >= 10 ? 1 : 0)
    guard (0...9_999).contains(civilYear) else { return nil }
    return (civilYear, month >= 10 ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1)
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
      guard index < bytes.count, UInt32(bytes[index]) == byte.value else { return false }
      index += 1
      return true
    }

    mutating func digits() -> [UInt8] {
      let start = index
      while index < bytes.count, bytes[index].isDigit { index += 1 }
      return Array(bytes[start..<index])
    }

    mutating func number(_ width: Int) -> Int? {
      guard bytes.count - index >= width else { return nil }
      var value = 0
      for byte in bytes[index..<(index + width)] {
        guard byte.isDigit else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      index += width
      return value
    }

    /// Seconds east of UTC; 0 when no zone is written.
    mutating func zone() -> Int? {
      if isAtEnd || skip("Z") || skip("z") { return 0 }
      let isEast = skip("+")
      guard isEast || skip("-"), let hours = number(2), hours < 24 else { return nil }
      var seconds = hours * 3_600
      if skip(":") || !isAtEnd {
        guard let minutes = number(2), minutes < 60 else { return nil }
        seconds += minutes * 60
      }
      return isEast ? seconds : -seconds
    }
  }
}

extension Int {
  /// Quotient and remainder with a remainder that is not negative.
  fileprivate func quotientAndRemainder(floored divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
