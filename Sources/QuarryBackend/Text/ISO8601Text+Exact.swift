package import Foundation

// Reads the output of ``ISO8601Text/exactText(_:)``: dates in files of data.

extension ISO8601Text {
  /// Reads `2001-02-03T04:05:06.789Z`, an offset such as `+02:00` in place of `Z`, and the form with `@`.
  package static func exactDate(_ text: some BidirectionalCollection<UInt8>) -> Date? {
    if text.first == UInt8(ascii: "@") {
      return Double(String(decoding: text.dropFirst(), as: UTF8.self)).map(Date.init(timeIntervalSinceReferenceDate:))
    }
    return full(text).flatMap { date($0.seconds, $0.fraction) }
  }

  /// Reads a date-time that ends in `Z` and is given back digit for digit, save zeros at the end of the fraction: what
  /// an import takes for a date. Nanoseconds are more than a `Date` holds, so such a text stays text.
  package static func losslessDate(_ text: some BidirectionalCollection<UInt8>) -> Date? {
    guard text.last == UInt8(ascii: "Z"), let reader = full(text), let date = date(reader.seconds, reader.fraction)
    else { return nil }
    let fraction = reader.fraction
    if fraction.isEmpty { return date }
    // Without the zeros at the fraction's end, and without the point where only zeros followed it.
    let zeros = fraction.zerosAtEnd
    let written = text.dropLast(1 + zeros + (zeros == fraction.count ? 1 : 0))
    return exactText(date).utf8.dropLast().elementsEqual(written) ? date : nil
  }

  /// No date has a longer text than 64 bytes but for those next to 2001, with hundreds of zeros.
  private static func full(_ text: some BidirectionalCollection<UInt8>) -> ISO8601Reader? {
    guard text.count >= 20, text.count <= 64 else { return nil }
    return ISO8601Reader(Array(text), .full)
  }
}
