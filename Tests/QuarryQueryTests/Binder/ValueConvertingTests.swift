import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// What values of one kind become in a property of another.
struct ValueConvertingTests {
  private static func decimal(_ text: String) -> Value {
    .decimal(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))!)
  }

  private static func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

  @Test(
    arguments: [
      (.int(5), .double, .double(5)), (.double(5), .int8, .int(5)), (decimal("5.00"), .uint64, .int(5)),
      (.uint(.max), .decimal, decimal("18446744073709551615")), (.float(0.5), .double, .double(0.5)),
      (.double(0.5), .float, .float(0.5)), (.double(.infinity), .float, .float(.infinity)),
      (.double(0.1), .decimal, nil), (.double(0.125), .decimal, decimal("0.125")),
      (decimal("0.1"), .double, .double(0.1)), (decimal("0.1"), .float, .float(0.1)), (decimal("1e39"), .float, nil),
      (.int(1 << 53 + 1), .double, nil), (.int(16_777_217), .float, nil), (.double(5.5), .int64, nil),
      (.double(0x1p63), .int64, nil), (.double(0x1p63), .uint64, .uint(1 << 63)), (.int(-1), .uint8, nil),
      (.int(256), .uint8, nil), (.bool(true), .int8, nil), (.int(1), .bool, nil), (.string("1"), .int8, nil),
      (.null, .int8, .null), (.string("x"), .string, .string("x")), (.int(1), .string, nil),
      (.string("2001-01-01"), .date, date(0)), (.string("2001-01-01T00:00:00.5Z"), .date, date(0.5)),
      (.string("2001-01-01T01:30:00+01:30"), .date, date(0)), (.string("2000-12-31 23:59Z"), .date, date(-60)),
      (.string("2001-01-01T00:00:00-0030"), .date, date(1_800)), (.string("2000-02-29"), .date, date(-307 * 86_400)),
      (.string("0001-01-01"), .date, date(-63_113_904_000)),
      (.string("9999-12-31T23:59:59Z"), .date, date(252_423_993_599)),
      (.string("1900-02-29"), .date, nil), (.string("2001-13-01"), .date, nil),
      (.string("2001-01-01T24:00"), .date, nil),
      (.string("2001-01-01T00:00:60Z"), .date, nil), (.string("2001-1-1"), .date, nil),
      (.string("2001-01-01x"), .date, nil),
      (.string("2001-01-01T00:00:00.Z"), .date, nil), (.int(5), .date, nil),
      (.string("AAE="), .data, .data(Data([0, 1]))), (.string("AAE"), .data, nil), (.string("A"), .data, nil),
      (.string("A*E="), .data, nil),
      (.string("00000000-0000-0000-0000-00000000000g"), .uuid, nil), (.string("1.50"), .decimal, decimal("1.5")),
      (.string("1e2"), .decimal, decimal("100")), (.string("1 "), .decimal, nil), (.string("nan"), .decimal, nil),
      (.string("0.12345678901234567890123456789012345678901"), .decimal, nil), (.decimal(.nan), .decimal, nil),
      (.string("a b"), .url, nil), (.object([]), .nested, .object([])), (.int(1), .nested, .int(1)),
      (.int(1), .array, nil),
    ] as [(Value, PropertyType, Value?)])
  func conversion(_ value: Value, _ type: PropertyType, _ expected: Value?) {
    do throws(StorageError) {
      let converted = try value.converted(to: type)
      #expect(converted == expected)
      if !converted.isNull { #expect(converted.conforms(to: type)) }
    } catch {
      #expect(error.code == .invalidValue)
      #expect(expected == nil)
    }
  }

  @Test func elementsAreConverted() throws {
    #expect(
      try Value.array([.double(1), .null]).converted(to: .array, element: .int8) == .array([.int(1), .null]))
    #expect(throws: StorageError.self) { try Value.array([.int(300)]).converted(to: .array, element: .int8) }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func dateSinceTheGregorianCalendarIsFoundations(_ seed: UInt64) throws {
    var random = RandomPredicates(seed: seed)
    let style = Date.ISO8601FormatStyle()
    for _ in 0..<500 {
      let date = Date(
        timeIntervalSinceReferenceDate: Double(Int.random(in: -13_000_000_000...252_000_000_000, using: &random)))
      #expect(ISO8601Text.date(date.formatted(style)) == date)
      #expect(ISO8601Text.text(date) == date.formatted(style))
    }
  }

  @Test(arguments: [0.5, 0.1, -0.1, 123456789.123, -1e9 + 0.25, 7.9e8 + 1e-6])
  func dateOfItsTextIsTheDate(_ seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    if let text = ISO8601Text.text(date) { #expect(ISO8601Text.date(text) == date) }
    #expect(
      try PredicateParser.parse("a == \(ValueText.literal(.date(date)))")
        == .compare(.property(PropertyPath("a")), .equal, .value(.date(date))))
  }

  @Test(arguments: [
    (Value.int(127), PropertyType.int8, true), (.int(128), .int8, false), (.uint(.max), .uint64, true),
    (.uint(.max), .int64, false), (.double(1), .float, false), (.decimal(.nan), .decimal, false), (.null, .int8, false),
    (.array([.int(1)]), .array, true), (.array([.decimal(.nan)]), .nested, false), (.null, .nested, false),
  ])
  func conformance(_ value: Value, _ type: PropertyType, _ expected: Bool) {
    #expect(value.conforms(to: type) == expected)
  }

  @Test func deepValueDoesNotConform() {
    let value = (0..<1_000).reduce(Value.null) { value, _ in .array([value]) }
    #expect(!value.conforms(to: .nested))
  }
}
