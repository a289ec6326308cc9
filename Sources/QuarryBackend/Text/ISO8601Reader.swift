/// Reads the bytes of a date, as exactly as they say it.
struct ISO8601Reader {
  enum Form {
    /// As people write it: a date alone, a time without seconds or zone, and other characters between them.
    case free
    /// As programs write it: a date-time with seconds and a zone, in one spelling.
    case full
  }

  /// Whole seconds since 2001, in UTC.
  private(set) var seconds = 0
  /// The digits of the fraction of a second that is added to them.
  private(set) var fraction: ArraySlice<UInt8> = []

  private let bytes: [UInt8]
  private let form: Form
  private var index = 0

  /// - Returns: nil when the bytes are no date of that form.
  init?(_ bytes: [UInt8], _ form: Form) {
    self.bytes = bytes
    self.form = form
    guard readDay() else { return nil }
    if form == .full || !isAtEnd {
      guard readTime(), let zone = zone() else { return nil }
      seconds -= zone
    }
    guard isAtEnd else { return nil }
  }

  private mutating func readDay() -> Bool {
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      (1...12).contains(month), day >= 1, day <= GregorianDay.count(ofMonth: month, year)
    else { return false }
    seconds = GregorianDay.number(year, month, day) * 86_400
    return true
  }

  private mutating func readTime() -> Bool {
    guard skip("T") || (form == .free && (skip("t") || skip(" "))), let hour = number(2), skip(":"),
      let minute = number(2), hour < 24, minute < 60
    else { return false }
    seconds += hour * 3_600 + minute * 60
    guard skip(":") else { return form == .free }
    guard let second = number(2), second < 60 else { return false }
    seconds += second
    guard skip(".") || (form == .free && skip(",")) else { return true }
    let start = index
    while index < bytes.count, bytes[index].isDigit { index += 1 }
    fraction = bytes[start..<index]
    return !fraction.isEmpty
  }

  private var isAtEnd: Bool { index == bytes.count }

  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard index < bytes.count, UInt32(bytes[index]) == byte.value else { return false }
    index += 1
    return true
  }

  private mutating func number(_ width: Int) -> Int? {
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
  private mutating func zone() -> Int? {
    if skip("Z") || (form == .free && (isAtEnd || skip("z"))) { return 0 }
    let isEast = skip("+")
    guard isEast || skip("-"), let hours = number(2), hours < 24 else { return nil }
    var seconds = hours * 3_600
    let hasColon = skip(":")
    if form == .full, !hasColon { return nil }
    if hasColon || !isAtEnd {
      guard let minutes = number(2), minutes < 60 else { return nil }
      seconds += minutes * 60
    }
    return isEast ? seconds : -seconds
  }
}
