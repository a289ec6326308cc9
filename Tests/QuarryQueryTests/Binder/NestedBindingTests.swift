import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// Conditions inside arrays and nested values.
struct NestedBindingTests {
  private static let binder = QueryBinder(
    ModelSchema(
      name: "M",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(name: "tags", type: .array, elementType: .string),
        PropertySchema(name: "years", type: .array, isOptional: true, elementType: .int16),
        PropertySchema(name: "days", type: .array, elementType: .date),
        PropertySchema(name: "address", type: .nested, isOptional: true),
        PropertySchema(name: "people", type: .array, elementType: .nested),
      ], primaryKey: 0))

  private static func path(_ names: String...) -> [ByteString] { names.map { ByteString($0) } }

  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let bound: BoundPredicate
    init(_ text: String, _ bound: BoundPredicate) {
      self.text = text
      self.bound = bound
    }
    var testDescription: String { text }
  }

  @Test(arguments: [
    Case("tags CONTAINS 'x'", .nested(slot: 1, .containsElement(path: [], .string("x")))),
    Case("'x' IN tags", .nested(slot: 1, .containsElement(path: [], .string("x")))),
    Case("years CONTAINS 1970.0", .nested(slot: 2, .containsElement(path: [], .int(1970)))),
    Case(
      "'2001-01-01' IN days",
      .nested(slot: 3, .containsElement(path: [], .date(Date(timeIntervalSinceReferenceDate: 0))))),
    Case("years == nil", .isNull(slot: 2)),
    Case("tags == nil", .constant(false)),
    Case("years == {1.0, nil}", .nested(slot: 2, .compare(path: [], .equal, .array([.int(1), .null])))),
    Case("years.@count > 2", .nested(slot: 2, .count(path: [], .greater, 2))),
    Case("years.@count > 2.5", .nested(slot: 2, .count(path: [], .greaterOrEqual, 3))),
    Case("years.@count < 1e30", .nested(slot: 2, .count(path: [], .greaterOrEqual, 0))),
    Case("years.@count == 2.5", .constant(false)),
    Case("years.@count == nil", .isNull(slot: 2)),
    Case("2 >= years.@count", .nested(slot: 2, .count(path: [], .lessOrEqual, 2))),
    Case("ANY tags BEGINSWITH 'x'", .nested(slot: 1, .any(path: [], .text(path: [], .hasPrefix, "x", [])))),
    Case("ALL years > 1970", .nested(slot: 2, .all(path: [], .compare(path: [], .greater, .int(1970))))),
    Case("NONE years > 1970", .not(.nested(slot: 2, .any(path: [], .compare(path: [], .greater, .int(1970)))))),
    Case(
      "ANY years IN {1, nil}",
      .nested(slot: 2, .any(path: [], .or([.compare(path: [], .equal, .null), .compare(path: [], .equal, .int(1))])))),
    Case(
      "ANY years (SELF > 1 AND NOT SELF == 5)",
      .nested(
        slot: 2,
        .any(
          path: [],
          .and([
            .compare(path: [], .greater, .int(1)), .compare(path: [], .notEqual, .int(5)),
          ])))),
    Case("address.city == 'x'", .nested(slot: 4, .compare(path: path("city"), .equal, .string("x")))),
    Case("address.city == nil", .nested(slot: 4, .compare(path: path("city"), .equal, .null))),
    Case("address == nil", .isNull(slot: 4)),
    Case(
      "address.a.b CONTAINS[c] 'x'", .nested(slot: 4, .text(path: path("a", "b"), .contains, "x", .caseInsensitive))),
    Case("address.lines.@count == 2", .nested(slot: 4, .count(path: path("lines"), .equal, 2))),
    Case("address.zip IN {1, 2}", .nested(slot: 4, .oneOf(path: path("zip"), [.int(1), .int(2)]))),
    Case("address.zip < nil", .constant(false)),
    Case(
      "ANY people.name == 'x'", .nested(slot: 5, .any(path: [], .compare(path: path("name"), .equal, .string("x"))))),
    Case(
      "ANY people (ANY SELF.tags == 'x')",
      .nested(slot: 5, .any(path: [], .any(path: path("tags"), .compare(path: [], .equal, .string("x")))))),
    Case(
      "ANY address.people (SELF.age > 3)",
      .nested(slot: 4, .any(path: path("people"), .compare(path: path("age"), .greater, .int(3))))),
  ])
  func binds(_ test: Case) throws {
    #expect(try Self.binder.bind(PredicateParser.parse(test.text)) == test.bound)
  }

  @Test(arguments: [
    "tags == 1", "tags == 'x'", "tags < {1}", "years CONTAINS 'x'", "tags CONTAINS 1", "tags CONTAINS[c] 'x'",
    "tags BEGINSWITH 'x'", "tags.x == 1", "ANY tags.x == 1", "ANY tags > 1", "ANY years CONTAINS 'x'",
    "ANY tags (id == 1)", "address.a == address.b", "address.a == id", "tags == tags", "ANY tags (SELF == SELF)",
    "tags.@count == 'x'", "ANY years.@count == 1", "ANY id == 1", "'x' IN days",
    "tags.@count CONTAINS 'x'", "ANY tags (ANY SELF == 1)",
  ])
  func contradictionsAreInvalidQueries(_ text: String) throws {
    let tree = try PredicateParser.parse(text)
    #expect {
      _ = try Self.binder.bind(tree)
    } throws: { ($0 as? StorageError)?.code == .invalidQuery }
  }

  @Test(arguments: ["0.1", "0.3", "1.1", "2.675"])
  func decimalOfATextStandsForTheNearestDouble(_ text: String) throws {
    let double = Double(text)!
    let decimal = Decimal(string: text)!
    let stored: [Value] = [
      .double(double), .double(double.nextUp), .double(double.nextDown), .decimal(decimal),
      .decimal(decimal + 1), .decimal(decimal - 1), .null, .string("x"),
    ]
    for comparison in Comparison.allCases {
      let tree = PredicateTree.compare(
        .property(PropertyPath("address", members: ["a"])), comparison, .value(.decimal(decimal)))
      guard case .nested(_, let test) = try Self.binder.bind(tree) else {
        Issue.record("no test of a nested value")
        continue
      }
      for value in stored {
        let constant: Value = if case .double = value { .double(double) } else { .decimal(decimal) }
        #expect(
          try NestedMatcher(test).matches(.object([.init("a", value)]))
            == PredicateEquality.holds(value, comparison, constant), "\(value.text) \(comparison) \(text)")
      }
    }
  }
}
