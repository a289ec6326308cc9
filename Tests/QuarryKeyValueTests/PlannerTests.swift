import QuarryBackend
import Testing

@testable import QuarryKeyValue

/// Which path is chosen, by what `explain` says.
@Suite struct PlannerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var predicate: BoundPredicate = .constant(true)
    var order: [BoundSortKey] = []
    var access: QueryPlan.Access
    var sorts = false
    var residual = 0

    init(
      _ name: String, _ predicate: BoundPredicate, order: [BoundSortKey] = [],
      _ access: QueryPlan.Access, sorts: Bool = false, residual: Int = 0
    ) {
      testDescription = name
      self.predicate = predicate
      self.order = order
      self.access = access
      self.sorts = sorts
      self.residual = residual
    }
  }

  private static let id = Books.Slot.id
  private static let isbn = Books.Slot.isbn
  private static let year = Books.Slot.year
  private static let title = Books.Slot.title
  private static let rating = Books.Slot.rating
  private static let author = Books.Slot.author
  private static let shelf = Books.Slot.shelf
  private static let place = Books.Slot.place

  static let cases: [Case] = [
    Case("everything", .constant(true), .scan),
    Case("nothing", .constant(false), .empty),
    Case("key", .compare(slot: id, .equal, .int(1)), .keyLookup),
    Case("keys", .oneOf(slot: id, [.int(1), .int(5)]), .keyLookup),
    Case("key and more", .and([.compare(slot: id, .equal, .int(1)), .isNull(slot: isbn)]), .keyLookup, residual: 1),
    Case(
      "keys between", .and([.compare(slot: id, .greater, .int(1)), .compare(slot: id, .less, .int(9))]), .keyRange),
    Case(
      "keys between nothing", .and([.compare(slot: id, .greater, .int(9)), .compare(slot: id, .less, .int(1))]), .empty),
    Case("unique value", .compare(slot: isbn, .equal, .string("a")), .indexEquality(index: "byISBN")),
    Case("nil of a unique index", .isNull(slot: isbn), .indexEquality(index: "byISBN")),
    Case("equality", .compare(slot: year, .equal, .int(1)), .indexEquality(index: "byYear")),
    Case("one of several", .oneOf(slot: year, [.int(1), .int(2)]), .indexEquality(index: "byYear"), sorts: true),
    Case("range", .compare(slot: year, .less, .int(1)), .indexRange(index: "byYear"), sorts: true),
    Case(
      "range in its order", .compare(slot: year, .less, .int(1)), order: [.init(slot: year)],
      .indexRange(index: "byYear")),
    Case(
      "range backwards", .compare(slot: year, .less, .int(1)), order: [.init(slot: year, isDescending: true)],
      .indexRange(index: "byYear")),
    Case("order", .constant(true), order: [.init(slot: year)], .indexOrder(index: "byYear")),
    Case(
      "order backwards", .constant(true), order: [.init(slot: year, isDescending: true)], .indexOrder(index: "byYear")),
    Case("descending index forwards", .constant(true), order: [.init(slot: rating)], .indexOrder(index: "byRating")),
    Case(
      "compound order", .constant(true), order: [.init(slot: author), .init(slot: year, isDescending: true)],
      .indexOrder(index: "byAuthor")),
    Case(
      "compound order, half turned", .constant(true), order: [.init(slot: author), .init(slot: year)],
      .scan, sorts: true),
    Case(
      "descending order of a descending index", .constant(true), order: [.init(slot: rating, isDescending: true)],
      .indexOrder(index: "byRating")),
    Case(
      "order behind an equality", .compare(slot: author, .equal, .string("a")), order: [.init(slot: year)],
      .indexEquality(index: "byAuthor")),
    Case(
      "range behind an equality",
      .and([.compare(slot: author, .equal, .string("a")), .compare(slot: year, .greater, .int(1))]),
      .indexEquality(index: "byAuthor"), sorts: true),
    Case("order without an index", .constant(true), order: [.init(slot: title)], .scan, sorts: true),
    Case("prefix", .text(slot: author, .hasPrefix, "a", []), .indexRange(index: "byAuthor"), sorts: true),
    Case("folded prefix", .text(slot: author, .hasPrefix, "a", .caseInsensitive), .scan, residual: 1),
    Case("not equal", .compare(slot: year, .notEqual, .int(1)), .scan, residual: 1),
    Case("equal to NaN", .compare(slot: rating, .equal, .double(.nan)), .empty),
    Case("less than NaN", .compare(slot: rating, .less, .double(.nan)), .empty),
    Case("not equal to NaN", .compare(slot: rating, .notEqual, .double(.nan)), .scan, residual: 1),
    Case(
      "alternatives of one column",
      .or([.compare(slot: year, .equal, .int(1)), .compare(slot: year, .equal, .int(2))]),
      .indexEquality(index: "byYear"), sorts: true),
    Case(
      "alternatives of two columns", .or([.compare(slot: year, .equal, .int(1)), .compare(slot: id, .equal, .int(2))]),
      .scan, residual: 1),
    Case(
      "unique before equality",
      .and([.compare(slot: year, .equal, .int(1)), .compare(slot: isbn, .equal, .string("a"))]),
      .indexEquality(index: "byISBN"), residual: 1),
    Case(
      "more columns before fewer",
      .and([.compare(slot: year, .equal, .int(1)), .compare(slot: author, .equal, .string("a"))]),
      .indexEquality(index: "byAuthor")),
    Case(
      "compound unique", .and([.compare(slot: shelf, .equal, .int(1)), .compare(slot: place, .equal, .int(1))]),
      .indexEquality(index: "byPlace")),
  ]

  @Test(arguments: cases) func thePlanIs(_ expected: Case) throws {
    let plan = try TestStore().explain(try TestStore().query(expected.predicate, order: expected.order))
    #expect(plan.access == [expected.access])
    #expect(plan.sorts == expected.sorts)
    #expect(plan.residual.count == expected.residual)
  }

  @Test func theNextPageBeginsAtItsPosition() throws {
    let store = try TestStore()
    var query = store.query(order: [BoundSortKey(slot: Books.Slot.year)])
    query.predicate = .after(query.order, [.int(5), .int(3)])
    let plan = try store.explain(query)
    #expect(plan.access == [.indexOrder(index: "byYear")])
    #expect(plan.residual.isEmpty)
  }

  @Test func theNextPageByKeyIsAKeyRange() throws {
    let store = try TestStore()
    var query = store.query()
    query.predicate = .after(query.order, [.int(5)])
    #expect(try store.explain(query).access == [.keyRange])
  }

  @Test func anIndexThatGivesMostRowsIsNotUsed() throws {
    let store = try TestStore(.memory)
    try store.write { try store.insert($0, (0..<2000).map { Book(id: $0, year: Int32($0)) }) }
    #expect(try store.explain(store.query(.compare(slot: 2, .greater, .int(1000)))).access == [.scan])
    #expect(
      try store.explain(store.query(.compare(slot: 2, .greater, .int(1900)))).access == [.indexRange(index: "byYear")])
  }

  @Test func aLimitPrefersTheOrderToAnUnselectiveEquality() throws {
    let store = try TestStore(.memory)
    try store.write { try store.insert($0, (0..<2000).map { Book(id: $0, year: 1, rating: Double($0)) }) }
    let order = [BoundSortKey(slot: Books.Slot.rating)]
    let query = store.query(.compare(slot: 2, .equal, .int(1)), order: order, limit: 5)
    #expect(try store.explain(query).access == [.indexOrder(index: "byRating")])
  }

  @Test func ofTwoIndexesTheOneWithFewerEntriesIsUsed() throws {
    let store = try TestStore(.memory)
    try store.write { transaction throws in
      try store.insert(transaction, (0..<100).map { Book(id: $0, year: Int32($0 % 50), rating: 1) })
    }
    let both = BoundPredicate.and([.compare(slot: 4, .equal, .double(1)), .compare(slot: 2, .equal, .int(3))])
    #expect(try store.explain(store.query(both)).access == [.indexEquality(index: "byYear")])
  }
}
