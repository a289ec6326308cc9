import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// A comparison with a constant of another type means after binding what it meant before: checked against the exact
/// values, over every boundary.
struct ConstantRewritingTests {
  /// Numbers of all kinds near the ends of all types.
  private static let constants: [Value] = {
    var values: [Value] = []
    let integers: [Int128] = [
      0, 1, -1, 2, 127, 128, 129, -128, -129, 255, 256, 32_767, 32_768, -32_769, 65_535, 65_536, 1 << 24, (1 << 24) + 1,
      -(1 << 24) - 1, (1 << 31) - 1, 1 << 31, -(1 << 31) - 1, (1 << 32) - 1, 1 << 32, 1 << 53, (1 << 53) + 1,
      -(1 << 53) - 1, (1 << 63) - 1, 1 << 63, -(1 << 63), (1 << 64) - 1,
    ]
    for integer in integers { values.append(Value(integer: integer)) }
    let doubles: [Double] = [
      -0.0, 0.5, -0.5, 2.5, -2.5, 126.5, 127.5, -128.5, -127.5, 254.5, 255.5, 0.1, -0.1, 1e30, -1e30, 1e300, -1e300,
      0x1p63, 0x1p64, -0x1p63, 0x1p63 - 1024, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e-130, 1e150, 4e165,
      1e128,
      Double(Float.greatestFiniteMagnitude), Double(Float.greatestFiniteMagnitude).nextUp,
      Double(Float.leastNonzeroMagnitude) / 2, 3.4028236692093846e38, 1.0.nextUp, 1.0.nextDown, 123.45,
    ]
    for double in doubles { values.append(.double(double)) }
    for float: Float in [0.1, 2.5, -0.0, .infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
      values.append(.float(float))
    }
    for text in [
      "0.1", "-0.1", "2.5", "-2.5", "127.5", "-128.5", "1e30", "-1e30", "255", "255.0000000000000000000000000001",
      "18446744073709551615.5", "18446744073709551616", "-9223372036854775808.5", "1e-100", "1e38", "4e38", "1e100",
    ] {
      values.append(.decimal(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))!))
    }
    return values
  }()

  /// What a column of the type may hold: every value of eight bits, and the boundaries of wider types.
  private static func stored(_ type: PropertyType) -> [Value] {
    if let range = type.integerRange {
      if range.upperBound <= 255 { return range.map { Value(integer: $0) } }
      let near =
        constants.compactMap(\.integer).flatMap { [$0 - 1, $0, $0 + 1] } + [range.lowerBound, range.upperBound]
      return near.filter(range.contains).map { Value(integer: $0) }
    }
    let doubles = constants.compactMap { value -> Double? in
      switch value {
      case .double(let value): value
      case .float(let value): Double(value)
      case .int(let value): Double(value)
      case .uint(let value): Double(value)
      case .decimal(let value): Double("\(value)")
      default: nil
      }
    }
    switch type {
    case .double: return doubles.flatMap { [$0.nextDown, $0, $0.nextUp] }.map { .double($0) }
    case .float: return doubles.map { Float($0) }.flatMap { [$0.nextDown, $0, $0.nextUp] }.map { .float($0) }
    default:
      let decimals = doubles.filter { !$0.isNaN }.map { DecimalNeighbours(of: $0) }.flatMap { [$0.below, $0.above] }
      return decimals.compactMap { $0 }.map { .decimal($0.decimal) } + constants.filter { $0.conforms(to: .decimal) }
    }
  }

  /// The meaning: exact values, and a decimal stands for the nearest of a floating-point type.
  private static func means(_ value: Value, _ comparison: Comparison, _ constant: Value, _ type: PropertyType) -> Bool {
    var constant = constant
    if case .decimal(let decimal) = constant {
      if type == .double { constant = .double(Double("\(decimal)")!) }
      if type == .float, let float = Float("\(decimal)"), float.isFinite { constant = .float(float) }
    }
    return PredicateEquality.holds(value, comparison, constant)
  }

  private static func holds(_ predicate: BoundPredicate, _ value: Value) throws -> Bool {
    switch predicate {
    case .constant(let result): return result
    case .isNull: return value.isNull
    case .compare(_, let comparison, let constant): return PredicateEquality.holds(value, comparison, constant)
    case .oneOf(_, let constants): return constants.contains { PredicateEquality.equal(value, $0) }
    case .not(let inner): return try !holds(inner, value)
    case .or(let parts): return try parts.contains { try holds($0, value) }
    case .and(let parts): return try parts.allSatisfy { try holds($0, value) }
    default:
      Issue.record("unexpected \(predicate)")
      return false
    }
  }

  private static func binder(_ type: PropertyType, isOptional: Bool) -> QueryBinder {
    QueryBinder(
      ModelSchema(
        name: "M",
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "x", type: type, isOptional: isOptional),
        ], primaryKey: 0))
  }

  private static let x = Operand.property(PropertyPath("x"))

  private static let columns =
    PropertyType.allCases.filter(\.isNumeric).map { ($0, true) } + [(PropertyType.int8, false), (.float, false)]

  @Test(arguments: columns)
  func comparisonKeepsItsMeaning(_ type: PropertyType, _ isOptional: Bool) throws {
    let binder = Self.binder(type, isOptional: isOptional)
    let stored = Array(Set(Self.stored(type) + (isOptional ? [.null] : [])))
    #expect(stored.count > 15)
    for constant in Self.constants {
      for comparison in Comparison.allCases {
        let bound = try binder.bind(.compare(Self.x, comparison, .value(constant)))
        let mirrored = try binder.bind(.compare(.value(constant), comparison.mirrored, Self.x))
        #expect(bound == mirrored)
        if case .compare(_, _, let exact) = bound { #expect(exact.conforms(to: type)) }
        for value in stored where try Self.holds(bound, value) != Self.means(value, comparison, constant, type) {
          Issue.record("\(type) \(value.text) \(comparison) \(constant.text) became \(bound)")
        }
      }
    }
  }

  @Test(arguments: PropertyType.allCases.filter(\.isNumeric))
  func membershipKeepsItsMeaning(_ type: PropertyType) throws {
    let binder = Self.binder(type, isOptional: true)
    let stored = Set(Self.stored(type) + [.null])
    for constants in [Self.constants + [.null], Array(Self.constants.prefix(3)), [.null], []] {
      let bound = try binder.bind(.oneOf(Self.x, constants))
      for value in stored {
        let expected = constants.contains { Self.means(value, .equal, $0, type) }
        if try Self.holds(bound, value) != expected { Issue.record("\(type) \(value.text): \(bound)") }
      }
    }
  }

  @Test func membersAreSortedAndDistinct() throws {
    let bound = try Self.binder(.double, isOptional: true).bind(
      .oneOf(Self.x, [.int(2), .double(0), .null, .double(-0.0), .double(.nan), .double(1), .int(2), .uint(.max)]))
    #expect(
      bound
        == .or([.isNull(slot: 1), .oneOf(slot: 1, [.double(0), .double(1), .double(2)])]))
  }

  struct Rewriting: Sendable, CustomTestStringConvertible {
    let type: PropertyType
    let text: String
    let bound: BoundPredicate
    init(_ type: PropertyType, _ text: String, _ bound: BoundPredicate) {
      self.type = type
      self.text = text
      self.bound = bound
    }
    var testDescription: String { "\(type) \(text)" }
  }

  private static let isPresent = BoundPredicate.not(.isNull(slot: 1))

  @Test(arguments: [
    Rewriting(.int64, "x > 2.5", .compare(slot: 1, .greaterOrEqual, .int(3))),
    Rewriting(.int64, "x < 2.5", .compare(slot: 1, .lessOrEqual, .int(2))),
    Rewriting(.int64, "x == 2.5", .constant(false)),
    Rewriting(.int64, "x != 2.5", .constant(true)),
    Rewriting(.int64, "x == 2.0", .compare(slot: 1, .equal, .int(2))),
    Rewriting(.int64, "x < 1000000000000000000000000000000", isPresent),
    Rewriting(.int64, "x > 1e30", .constant(false)),
    Rewriting(.uint8, "x >= -1", isPresent),
    Rewriting(.uint8, "x > 255.5", .constant(false)),
    Rewriting(.uint64, "x == 18446744073709551615", .compare(slot: 1, .equal, .uint(.max))),
    Rewriting(.double, "x == 0.1", .compare(slot: 1, .equal, .double(0.1))),
    Rewriting(.float, "x == 0.1", .compare(slot: 1, .equal, .float(0.1))),
    Rewriting(.float, "x > 1e-1", .compare(slot: 1, .greaterOrEqual, .float(0.1))),
    Rewriting(.float, "x < 1e-1", .compare(slot: 1, .lessOrEqual, .float(Float(0.1).nextDown))),
    Rewriting(.double, "x == 9007199254740993", .constant(false)),
    Rewriting(.double, "x >= 9007199254740993", .compare(slot: 1, .greaterOrEqual, .double(9_007_199_254_740_994))),
    Rewriting(.decimal, "x == 0.1", .compare(slot: 1, .equal, .decimal(Decimal(string: "0.1")!))),
    Rewriting(.decimal, "x == 5e-1", .compare(slot: 1, .equal, .decimal(Decimal(string: "0.5")!))),
    Rewriting(.decimal, "x == 1e-1", .constant(false)),
    Rewriting(.decimal, "x < 1e300", isPresent),
    Rewriting(.decimal, "x == '0.1'", .compare(slot: 1, .equal, .decimal(Decimal(string: "0.1")!))),
    Rewriting(.int64, "x == nil", .isNull(slot: 1)),
    Rewriting(.int64, "x != nil", isPresent),
    Rewriting(.int64, "x <= nil", .constant(false)),
    Rewriting(.double, "x != double 'nan'", .constant(true)),
    Rewriting(.double, "x >= double 'nan'", .constant(false)),
    Rewriting(.bool, "x == YES", .compare(slot: 1, .equal, .bool(true))),
    Rewriting(
      .date, "x >= '2001-01-01T00:00:01Z'",
      .compare(slot: 1, .greaterOrEqual, .date(Date(timeIntervalSinceReferenceDate: 1)))),
    Rewriting(
      .uuid, "x == 'f0000000-0000-0000-0000-000000000001'",
      .compare(slot: 1, .equal, .uuid(UUID(uuidString: "F0000000-0000-0000-0000-000000000001")!))),
    Rewriting(.data, "x == 'AAE='", .compare(slot: 1, .equal, .data(Data([0, 1])))),
    Rewriting(.url, "x == 'https://a.b/'", .compare(slot: 1, .equal, .url(URL(string: "https://a.b/")!))),
    Rewriting(.string, "x == 'é'", .compare(slot: 1, .equal, .string("é"))),
    Rewriting(.string, "x ==[] 'a'", .compare(slot: 1, .equal, .string("a"))),
    Rewriting(.string, "x CONTAINS ''", isPresent),
    Rewriting(.string, "x BEGINSWITH[c] 'a'", .text(slot: 1, .hasPrefix, "a", .caseInsensitive)),
    Rewriting(.url, "x LIKE '*a'", .text(slot: 1, .like, "*a", [])),
    Rewriting(.int64, "x IN {3}", .compare(slot: 1, .equal, .int(3))),
    Rewriting(.int64, "x IN {3, nil}", .or([.isNull(slot: 1), .compare(slot: 1, .equal, .int(3))])),
    Rewriting(.int64, "x IN {}", .constant(false)),
    Rewriting(.int64, "NOT x == 3", .compare(slot: 1, .notEqual, .int(3))),
    Rewriting(.int64, "NOT x < 3", .not(.compare(slot: 1, .less, .int(3)))),
    Rewriting(.int64, "NOT NOT x < 3", .compare(slot: 1, .less, .int(3))),
    Rewriting(.int64, "1 < 2 AND 'b' == 'b' AND 0.5 == 5e-1 AND nil != 1", .constant(true)),
    Rewriting(.int64, "'Éa' CONTAINS[cd] 'EA' AND x < 3", .compare(slot: 1, .less, .int(3))),
    Rewriting(.int64, "2 IN {1, 3} OR x < 3", .compare(slot: 1, .less, .int(3))),
    Rewriting(.int64, "id == nil", .constant(false)),
    Rewriting(.int64, "id != nil", .constant(true)),
    Rewriting(.double, "id < x", .compareSlots(0, .less, 1)),
    Rewriting(
      .int64, "(x > 1 AND (x > 2 AND TRUEPREDICATE)) AND x > 3",
      .and([1, 2, 3].map { .compare(slot: 1, .greater, .int($0)) })),
    Rewriting(
      .int64, "x > 1 OR (x > 2 OR FALSEPREDICATE)", .or([1, 2].map { .compare(slot: 1, .greater, .int($0)) })),
  ])
  func rewriting(_ test: Rewriting) throws {
    let binder = Self.binder(test.type, isOptional: true)
    #expect(try binder.bind(PredicateParser.parse(test.text)) == test.bound)
  }

  @Test(arguments: [
    (PropertyType.int64, "x == '1'"), (.string, "x == 1"), (.bool, "x == 1"), (.date, "x > 5"), (.uuid, "x == 'no'"),
    (.date, "x == 'yesterday'"), (.data, "x == '%'"), (.decimal, "x == 'many'"), (.url, "x == 'a b'"),
    (.int64, "x CONTAINS 'a'"), (.int64, "x CONTAINS 1"), (.int64, "x.y == 1"), (.int64, "x.@count == 1"),
    (.string, "x < id"), (.int64, "ANY x == 1"), (.int64, "SELF == 1"), (.int64, "1 == 'a'"),
    (.int64, "1 CONTAINS 'a'"),
    (.int64, "x IN {1, 'a'}"), (.int64, "y == 1"), (.double, "x == {1}"),
    (.string, "x == uuid '00000000-0000-0000-0000-000000000000'"),
  ])
  func whatCannotBeComparedIsAnInvalidQuery(_ type: PropertyType, _ text: String) throws {
    let tree = try PredicateParser.parse(text)
    #expect {
      _ = try Self.binder(type, isOptional: true).bind(tree)
    } throws: { ($0 as? StorageError)?.code == .invalidQuery }
  }
}
