package import Foundation
package import QuarryBackend

/// Values at the edges of each type, and constants to compare them with.
package enum Samples {
  package static let orderedTypes: [PropertyType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .string, .date, .data,
    .uuid, .decimal, .url,
  ]
  package static let numericTypes = orderedTypes.filter { $0.isNumeric }

  /// Values of the type, the edges among them; some are equal in order and differ in bits.
  package static func values(_ type: PropertyType) -> [Value] {
    if let range = type.integerRange {
      var integers = [range.lowerBound, range.lowerBound + 1, -1, 0, 1, 2, 3, range.upperBound - 1, range.upperBound]
      integers += [1 << 24 + 1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, Int128(Int64.max), Int128(Int64.max) + 1]
      return Set(integers).filter { range.contains($0) }.sorted().map { Value(integer: $0) }
    }
    switch type {
    case .bool: return [.bool(false), .bool(true), .bool(false)]
    case .float:
      let floats: [Float] = [
        -.infinity, -.greatestFiniteMagnitude, -2.5, -1, -.leastNonzeroMagnitude, -0.0, 0.0, .leastNonzeroMagnitude,
        0.1, 1, 2, 2.5, 0x1p24, .greatestFiniteMagnitude, .infinity, .nan, -.nan,
      ]
      return floats.map { .float($0) }
    case .double: return doubles.map { .double($0) }
    case .date: return doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .string: return strings.map { .string($0) }
    case .data:
      let bytes: [[UInt8]] = [[], [0], [0, 0], [0, 1], [1], [0x7F], [0x80], [0xFF], [0xFF, 0], [0xFF, 0xFF]]
      return bytes.map { .data(Data($0)) }
    case .uuid:
      return [
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
        "7FFFFFFF-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
        "A0000000-1234-5678-9ABC-DEF012345678", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      ].compactMap { UUID(uuidString: $0).map { .uuid($0) } }
    case .decimal:
      return [
        -Decimal.greatestFiniteMagnitude, -1, decimal("-0.1"), 0, .leastNonzeroMagnitude, decimal("0.1"), 1,
        decimal("1.00"), 2, decimal("2.5"), decimal("9007199254740993"), decimal("18446744073709551615"),
        decimal("18446744073709551616"), decimal("12345678901234567890123456789012345678"),
        decimal("0.12345678901234567890123456789012345678"),
        // The Double 0.1 lies between these.
        decimal("0.100000000000000005551115123125782702118"), decimal("0.100000000000000005551115123125782702119"),
        .greatestFiniteMagnitude,
      ].map { .decimal($0) }
    case .url:
      return ["a:", "http://a", "http://a/", "http://a/%20", "http://A", "http://b", "https://a?x=1#y"]
        .compactMap { URL(string: $0).map { .url($0) } }
    default: return []
    }
  }

  static let doubles: [Double] = [
    -.infinity, -.greatestFiniteMagnitude, -1e100, -2.5, -1, -.leastNonzeroMagnitude, -0.0, 0.0, .leastNonzeroMagnitude,
    0.1, 1, 2, 2.5, 0x1p53, 0x1p63, 1e100, .greatestFiniteMagnitude, .infinity, .nan, -.nan,
  ]

  /// Texts that engines tell apart badly: that begin one another, NUL, wildcards, composed and decomposed forms, scalars
  /// that UTF-16 would order differently.
  package static let strings = [
    "", "\0", " ", "%", "*", "10", "9", "A", "B", "_", "a", "a\0", "a\0b", "aa", "ab", "b", "e\u{301}", "\u{E9}",
    "\u{FFFF}", "\u{10000}", "\u{1F600}", "\u{10FFFF}", "\u{10FFFF}a",
  ]

  package static func decimal(_ text: String) -> Decimal {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? .nan
  }

  /// Constants to compare values of the type with, of other numeric types too. Nil is the last.
  package static func constants(_ type: PropertyType) -> [Value] {
    (type.isNumeric ? numbers : values(type)) + [.null]
  }

  private static let numbers: [Value] =
    ([Int64.min, -32_769, -128, -1, 0, 1, 2, 127, 255, 256, 65_535, 1 << 31, 1 << 53, 1 << 53 + 1, Int64.max] as [Int64])
    .map { .int($0) } + [.uint(1 << 63), .uint(.max)]
    + ([.nan, -.infinity, .infinity, -0.0, 0.5, 2.5, -2.5, 0.1, 0x1p53, -0x1p63, 0x1p63, 0x1p64, 1e300] as [Double])
    .map { .double($0) } + ([0.1, 2, 0x1p24, .nan] as [Float]).map { .float($0) }
    + ["2.5", "0.1", "-1", "9007199254740993", "9223372036854775807.5", "18446744073709551616"].map {
      .decimal(decimal($0))
    }
}
