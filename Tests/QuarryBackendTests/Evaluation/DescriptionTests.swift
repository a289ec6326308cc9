import Foundation
import QuarryBackend
import Testing

@Suite struct PredicateDescriptionTests {
  static let model = ModelSchema(
    name: "Book",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "year", type: .int64),
      PropertySchema(name: "title", type: .string), PropertySchema(name: "tags", type: .array, elementType: .string),
    ], primaryKey: 0)

  static let samples: [(BoundPredicate, String)] = [
    (.constant(true), "true"),
    (.compare(slot: 1, .greaterOrEqual, .int(1970)), "year >= 1970"),
    (
      .and([.compare(slot: 1, .less, .int(1)), .text(slot: 2, .hasPrefix, "The \"", .caseInsensitive)]),
      "year < 1 and title hasPrefix[c] \"The \\\"\""
    ),
    (.and([.isNull(slot: 2), .or([.constant(false), .isNull(slot: 1)])]), "title == nil and (false or year == nil)"),
    (.not(.compareSlots(0, .notEqual, 1)), "not (id != year)"),
    (.oneOf(slot: 1, (1...5).map { .int($0) }), "year in {1, 2, 3, … 2 more}"),
    (.nested(slot: 3, .count(path: [], .greater, 2)), "tags.count > 2"),
    (.nested(slot: 3, .any(path: [], .compare(path: [], .equal, .string("x")))), "any tags (element == \"x\")"),
    (
      .after([BoundSortKey(slot: 1, isDescending: true), BoundSortKey(slot: 0)], [.int(3), .int(4)]),
      "(year descending, id) after (3, 4)"
    ),
    (
      .compare(slot: 2, .equal, .string(String(repeating: "é", count: 50))),
      "title == \"\(String(repeating: "é", count: 40))…\""
    ),
    (.compare(slot: 2, .equal, .string("a\n\0")), "title == \"a\\u{a}\\u{0}\""),
    (.isNull(slot: 9), "slot 9 == nil"),
    (.compare(slot: 0, .less, .date(Date(timeIntervalSinceReferenceDate: .infinity))), "id < @inf"),
  ]

  @Test(arguments: samples.indices) func describes(_ index: Int) {
    let (predicate, text) = Self.samples[index]
    #expect(predicate.describe(Self.model) == text)
  }
}
