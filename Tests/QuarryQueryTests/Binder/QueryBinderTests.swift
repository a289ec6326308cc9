import Foundation
import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// Names, orders, positions, aggregates and assignments of queries.
struct QueryBinderTests {
  private static let model = ModelSchema(
    id: ModelID(7), name: "Book",
    properties: [
      PropertySchema(name: "title", type: .string),
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "old", type: .int64, isDropped: true),
      PropertySchema(name: "year", type: .int16, isOptional: true),
      PropertySchema(name: "pages", type: .uint16),
      PropertySchema(name: "tags", type: .array, elementType: .string),
      PropertySchema(name: "price", type: .decimal, isOptional: true),
      PropertySchema(name: "é", type: .bool),
      PropertySchema(name: "weight", type: .float),
    ], primaryKey: 1)
  private let binder = QueryBinder(model)

  private func error(_ body: () throws -> Void) -> StorageError? {
    do {
      try body()
      return nil
    } catch {
      return error as? StorageError
    }
  }

  private func bind(_ order: String) throws -> [BoundSortKey] {
    try binder.bind(QueryTree(model: "Book", order: SortParser.parse(order))).order
  }

  @Test(arguments: [
    ("yaer", "year"), ("Title", "title"), ("tag", "tags"), ("prices", "price"), ("page", "pages"), ("ids", "id"),
  ])
  func unknownNameIsAnsweredWithTheNearest(_ name: String, _ nearest: String) throws {
    let error = try #require(
      error { _ = try binder.bind(.compare(.property(PropertyPath(name)), .equal, .value(.int(1)))) })
    #expect(error.code == .invalidQuery)
    #expect(error.message.contains("did you mean \(nearest)?"))
    #expect(error.model == "Book")
  }

  @Test func nameLikeNoneIsAnsweredWithThoseThereAre() throws {
    let error = try #require(error { _ = try bind("quantity") })
    #expect(error.message.contains("there are title, id, year"))
    #expect(!error.message.contains("old"))
  }

  @Test func namesAreComparedByBytes() {
    #expect(error { _ = try bind("e\u{301}") }?.code == .invalidQuery)
    #expect(error { _ = try bind("é") } == nil)
  }

  @Test func hostileNameCostsNoMoreThanAnother() {
    #expect(error { _ = try bind("`" + String(repeating: "x", count: 500_000) + "`") }?.code == .invalidQuery)
  }

  @Test(arguments: [
    ("", [BoundSortKey(slot: 1)]),
    ("year", [BoundSortKey(slot: 3), BoundSortKey(slot: 1)]),
    ("-year", [BoundSortKey(slot: 3, isDescending: true), BoundSortKey(slot: 1, isDescending: true)]),
    ("-id", [BoundSortKey(slot: 1, isDescending: true)]),
    ("-year,id,title", [BoundSortKey(slot: 3, isDescending: true), BoundSortKey(slot: 1)]),
    ("year,-year,title", [BoundSortKey(slot: 3), BoundSortKey(slot: 0), BoundSortKey(slot: 1)]),
  ])
  func orderEndsWithThePrimaryKey(_ order: String, _ expected: [BoundSortKey]) throws {
    #expect(try bind(order) == expected)
  }

  @Test func arraysAreNotSorted() {
    let found = error { _ = try bind("tags") }
    #expect(found?.code == .unsupported)
    #expect(found?.capability == .querySort)
  }

  @Test func wholeQueryIsBound() throws {
    let bound = try binder.bind(
      QueryTree(model: "Book", predicate: .constant(true), limit: 2, offset: 3), projection: ["year", "title", "year"])
    #expect(
      bound
        == BoundQuery(
          model: ModelID(7), order: [BoundSortKey(slot: 1)], limit: 2, offset: 3, projection: [3, 0]))
  }

  @Test(arguments: [
    QueryTree(model: "book"), QueryTree(model: "Book", limit: -1), QueryTree(model: "Book", offset: -1),
    QueryTree(model: "Book", order: [.init("old")]), QueryTree(model: "Book", order: [.init("")]),
  ])
  func badQueryIsRefused(_ query: QueryTree) {
    #expect(error { _ = try binder.bind(query) }?.code == .invalidQuery)
  }

  @Test func unknownProjectionIsRefused() {
    #expect(error { _ = try binder.bind(QueryTree(model: "Book"), projection: ["x"]) }?.code == .invalidQuery)
  }

  // MARK: Limits

  @Test func deepTreeIsRefusedWithBothNumbers() throws {
    let tree = (0..<20_000).reduce(PredicateTree.constant(true)) { tree, _ in .not(tree) }
    let found = try #require(error { _ = try binder.bind(tree) })
    #expect(found.code == .limitExceeded)
    #expect(found.message.contains("200") && found.message.contains("20001"))
  }

  @Test func deepestTreeIsBound() throws {
    let leaf = PredicateTree.compare(.property(PropertyPath("year")), .less, .value(.int(1)))
    let tree = (1..<200).reduce(leaf) { tree, index in index % 2 == 0 ? .not(tree) : .and([tree]) }
    #expect(error { _ = try binder.bind(tree) } == nil)
    #expect(error { _ = try binder.bind(.not(tree)) }?.code == .limitExceeded)
  }

  @Test func wideTreeIsRefusedPastItsLimit() {
    let leaf = PredicateTree.compare(.property(PropertyPath("year")), .less, .value(.int(1)))
    #expect(error { _ = try binder.bind(.or(Array(repeating: leaf, count: 9_999))) } == nil)
    #expect(error { _ = try binder.bind(.or(Array(repeating: leaf, count: 10_000))) }?.code == .limitExceeded)
  }

  @Test func valuesOfAListAreNoParts() throws {
    let values = (0..<20_000).map { Value.int(Int64($0 % 1_000)) }
    guard case .oneOf(_, let members) = try binder.bind(.oneOf(.property(PropertyPath("id")), values)) else {
      Issue.record("no list")
      return
    }
    #expect(members == (0..<1_000).map { .int($0) })
  }

  @Test func deepConstantIsRefused() {
    let value = (0..<5_000).reduce(Value.null) { value, _ in .array([value]) }
    let tree = PredicateTree.compare(.property(PropertyPath("tags")), .equal, .value(value))
    #expect(error { _ = try binder.bind(tree) }?.code == .limitExceeded)
  }

  // MARK: Positions

  private func page(_ order: String = "-year", _ predicate: String = "pages > 3") throws -> QueryTree {
    QueryTree(model: "Book", predicate: try PredicateParser.parse(predicate), order: try SortParser.parse(order))
  }

  @Test func positionBecomesACondition() throws {
    var query = try page()
    query.position = .init(values: [.null], key: .int(5), fingerprint: query.fingerprint)
    query.limit = 10
    let bound = try binder.bind(query)
    #expect(
      bound.predicate
        == .and([.compare(slot: 4, .greater, .int(3)), .after(bound.order, [.null, .int(5)])]))
  }

  @Test(
    arguments: [
      ([.int(1)], .string("x")), ([.string("x")], .int(1)), ([], .int(1)), ([.int(1), .int(2)], .int(1)),
      ([.int(40_000)], .int(1)), ([.int(1)], .null),
    ] as [([Value], Value)])
  func positionOfOtherValuesIsRefused(_ values: [Value], _ key: Value) throws {
    var query = try page()
    query.position = .init(values: values, key: key, fingerprint: query.fingerprint)
    #expect(error { _ = try binder.bind(query) }?.code == .invalidQuery)
  }

  @Test func positionOfAnotherQueryIsRefused() throws {
    var query = try page()
    query.position = .init(values: [.int(1)], key: .int(5), fingerprint: try page("year").fingerprint)
    #expect(error { _ = try binder.bind(query) }?.code == .invalidQuery)
  }

  @Test func fingerprintIsTheSameForEver() throws {
    let fingerprint = try page().fingerprint
    #expect(fingerprint == 16_206_347_501_977_978_943)
    let all = try page(
      "a",
      "a IN {nil, TRUE, 1, 18446744073709551615, float '1', 1e0, 'x', date '2001-01-01', data 'AAE=', 1.0, {'a': 1}}"
        + " AND NOT (ANY b CONTAINS[c] 'x' OR ALL c (SELF.d.@count > 1)) AND url 'a' IN d")
    #expect(all.fingerprint == 9_332_276_739_018_611_472)
  }

  @Test func fingerprintTellsQueriesApart() throws {
    var queries = [
      try page(), try page("year"), try page("-year,title"), try page("", "pages > 4"), try page("", "pages >= 3"),
      try page("", "pages == 'é'"), try page("", "pages == 'e\u{301}'"), try page("", "pages == 1.0"),
      try page("", "pages == 1"), try page("", "pages == 1e0"), try page("", "AND(a == 1)"), try page("", "OR(a == 1)"),
    ]
    queries.append(QueryTree(model: "Other"))
    #expect(Set(queries.map(\.fingerprint)).count == queries.count)
    var limited = queries[0]
    limited.limit = 3
    limited.offset = 1
    #expect(limited.fingerprint == queries[0].fingerprint)
  }

  // MARK: Aggregates

  @Test func aggregateIsBound() throws {
    let bound = try binder.bind(
      QueryTree(model: "Book"), groups: ["year"],
      columns: [(.count, nil), (.sum, "pages"), (.max, "title"), (.count, "tags")])
    #expect(bound.groups == [3])
    #expect(
      bound.columns == [.init(.count), .init(.sum, slot: 4), .init(.max, slot: 0), .init(.count, slot: 5)])
    #expect(bound.rows.projection == [0, 3, 4, 5])
  }

  @Test(
    arguments: [
      ([], .sum, "title", .invalidQuery), ([], .average, nil, .invalidQuery), ([], .min, "tags", .unsupported),
      (["tags"], .count, nil, .unsupported), (["x"], .count, nil, .invalidQuery), ([], .max, "pagse", .invalidQuery),
    ] as [([String], AggregateFunction, String?, StorageError.Code)])
  func badAggregateIsRefused(
    _ groups: [String], _ function: AggregateFunction, _ property: String?, _ code: StorageError.Code
  ) {
    let found = error {
      _ = try binder.bind(QueryTree(model: "Book"), groups: groups, columns: [(function, property)])
    }
    #expect(found?.code == code)
  }

  // MARK: Assignments

  @Test(arguments: [
    (
      "title = 'x', year = nil",
      [
        BoundAssignment(slot: 0, operation: .set, value: .string("x")),
        BoundAssignment(slot: 3, operation: .set, value: .null),
      ]
    ),
    ("year = year + 1.0", [BoundAssignment(slot: 3, operation: .add, value: .int(1))]),
    ("pages = pages + -1", [BoundAssignment(slot: 4, operation: .subtract, value: .int(1))]),
    ("year -= 32768", [BoundAssignment(slot: 3, operation: .add, value: .int(-32_768))]),
    ("price = '0.1'", [BoundAssignment(slot: 6, operation: .set, value: .decimal(Decimal(string: "0.1")!))]),
    ("price *= 1.5", [BoundAssignment(slot: 6, operation: .multiply, value: .decimal(Decimal(string: "1.5")!))]),
    ("weight = 0.1", [BoundAssignment(slot: 8, operation: .set, value: .float(0.1))]),
    ("tags = {'a', nil}", [BoundAssignment(slot: 5, operation: .set, value: .array([.string("a"), .null]))]),
  ])
  func assignmentIsBound(_ text: String, _ expected: [BoundAssignment]) throws {
    #expect(try binder.bind(assignments: AssignmentParser.parse(text)) == expected)
  }

  @Test(
    arguments: [
      ("id = 1", .invalidQuery), ("nope = 1", .invalidQuery), ("year = 1, year = 2", .invalidQuery),
      ("title += 1", .invalidQuery), ("title = nil", .missingValue), ("title = 1", .invalidValue),
      ("year = 40000", .invalidValue), ("year = 1.5", .invalidValue), ("year += nil", .invalidValue),
      ("year += 1.5", .invalidValue), ("weight = 1e-1", .invalidValue), ("tags = {1}", .invalidValue),
      ("tags = 'x'", .invalidValue), ("year *= 70000", .invalidValue), ("price = 'x'", .invalidValue),
      ("price = 1e-1", .invalidValue),
    ] as [(String, StorageError.Code)])
  func badAssignmentIsRefused(_ text: String, _ code: StorageError.Code) throws {
    let assignments = try AssignmentParser.parse(text)
    #expect(error { _ = try binder.bind(assignments: assignments) }?.code == code)
  }
}
