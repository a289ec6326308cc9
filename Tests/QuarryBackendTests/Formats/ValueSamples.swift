import Foundation
import QuarryBackend

/// Values of every type at the places where codecs go wrong, each type in ascending order of ``ValueOrder`` without
/// values that tie.
enum ValueSamples {
  static let decimals: [Decimal] = [
    "-340282366920938463463374607431768211455e20", "-1e30", "-123.45", "-123.4", "-100", "-1", "-0.001", "0", "1e-100",
    "0.001", "0.1", "0.12", "1", "9", "10", "99", "99.5", "100", "123.4", "123.45", "12345678901234567890", "1e30",
    "340282366920938463463374607431768211455", "340282366920938463463374607431768211455e20",
  ].map { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX"))! }

  static func ordered(_ type: PropertyType) -> [Value] {
    switch type {
    case .bool: [.bool(false), .bool(true)]
    case .float:
      [
        -Float.infinity, -.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1,
        .infinity, .nan,
      ]
      .map { .float($0) }
    case .double:
      [
        -Double.infinity, -.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.1, 1,
        .infinity, .nan,
      ]
      .map { .double($0) }
    case .date: [-1e12, -0.5, 0, 0.25, 7.9e8, 1e12].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .string:
      ["", "\0", "\0\0", "\0\u{1}", "\u{1}", "A", "a", "a\0", "a\0b", "a\u{1}", "ab", "b", "e\u{301}", "é", "～", "😀"]
        .map { .string($0) }
    case .url: ["file:///a", "https://example.org/", "https://example.org/a"].map { .url(URL(string: $0)!) }
    case .data: [[], [0], [0, 0], [0, 1], [0, 255], [1], [255], [255, 0], [255, 255]].map { .data(Data($0)) }
    case .uuid:
      [
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
        "F0000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      ].map { .uuid(UUID(uuidString: $0)!) }
    case .decimal: decimals.map { .decimal($0) }
    case .nested, .array: []
    default:
      if let range = type.integerRange {
        Set([range.lowerBound, range.lowerBound + 1, -1, 0, 1, 100, range.upperBound - 1, range.upperBound])
          .filter { range.contains($0) }.sorted().map { Value(integer: $0) }
      } else {
        []
      }
    }
  }

  static let trees: [Value] = [
    .array([]), .array([.null, .int(-1), .int(.max), .int(.min), .uint(.max), .string("e\u{301}")]),
    .object(unordered: [
      .init("b", .array([.object([])])), .init("a", .double(-0.0)), .init("é", .bool(true)),
      .init("c", .decimal(decimals[2])), .init("d", .date(Date(timeIntervalSinceReferenceDate: 0.1))),
      .init("u", .uuid(UUID(uuidString: "F0000000-0000-0000-0000-000000000000")!)), .init("x", .data(Data([0, 1]))),
      .init("f", .float(.nan)), .init("l", .url(URL(string: "https://example.org")!)),
    ]),
  ]
}
