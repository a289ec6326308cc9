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

  private static func civil(_ dayNumber: Int) -> (year: Int, month: Int, day: Int)? {
    let days = dayNumber + daysBefore(1_970)
    guard days >= 0 else { return nil }
    var year = days / 366
    while daysBefore(year + 1) <= days { year += 1 }
    guard year <= 9_999 else { return nil }
    var rest = days - daysBefore(year)
    var month = 1
    while rest >= Self.days(month, year) {
      rest -= Self.days(month, year)
      month += 1
    }
    return (year, month, rest + 1)
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
      while index < bytes.count, NumberText.isDigit(bytes[index]) { index += 1 }
      return Array(bytes[start..<index])
    }

    mutating func number(_ width: Int) -> Int? {
      guard bytes.count - index >= width else { return nil }
      var value = 0
      for byte in bytes[index..<(index + width)] {
        guard NumberText.isDigit(byte) else { return nil }
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
