import QuarryBackend
import QuarrySQL
import Testing

/// What another database's SQL is like than that of SQLite, whose own tests try the rest against its engine.
@Suite struct SQLSelectionTests {
  private let table = NumberedTable()

  @Test("Parameters are numbered, after those that stand before them")
  func numbers() throws {
    let condition = try table.condition(
      .and([.compare(slot: 0, .less, .int(7)), .compare(slot: 1, .notEqual, .string("x"))]), after: [.null])
    #expect(condition.sql == " WHERE ((id < $2) AND (title IS DISTINCT FROM $3))")
    #expect(condition.constants == [.null, .integer(7), .text([0x78])])
  }

  @Test("NaN is told from numbers in the words of the dialect")
  func notANumber() throws {
    #expect(
      try table.condition(.compare(slot: 2, .greater, .double(1))).sql == " WHERE ((price > $1) AND (price < 'NaN'))")
    #expect(
      try table.condition(.not(.compare(slot: 2, .greater, .double(1)))).sql
        == " WHERE ((price <= $1) OR (price = 'NaN'))")
    #expect(try table.condition(.compare(slot: 2, .equal, .double(.nan))).sql == " WHERE (FALSE)")
  }

  @Test("A condition that may be NULL is negated with a truth value of the dialect")
  func negation() throws {
    let contains = BoundPredicate.text(slot: 1, .contains, "a", [])
    #expect(try table.condition(.not(contains)).sql == " WHERE (NOT coalesce(strpos(title, $1) > 0, FALSE))")
  }

  @Test("What the dialect has no words for is left to the evaluator")
  func residual() throws {
    let parts: [BoundPredicate] = [
      .text(slot: 1, .hasSuffix, "a", []), .text(slot: 1, .hasPrefix, "a", []), .compare(slot: 0, .equal, .int(1)),
    ]
    let condition = try table.condition(.and(parts))
    #expect(condition.sql == " WHERE (id = $1)")
    #expect(condition.residual == 2)
    #expect(try SQLSelection(.and(parts), table, in: table).residual == Array(parts[..<2]))
  }

  @Test("A list that is longer than the dialect allows stands outside the statement")
  func lists() throws {
    let selection = try SQLSelection(.oneOf(slot: 0, [.int(1), .int(2), .int(3)]), table, in: table)
    var constants: [SQLConstant] = []
    #expect(selection.whereClause(&constants) == " WHERE (id = ANY($1))")
    #expect(constants == [.list(0)])
    #expect(selection.lists.map(\.values) == [[.integer(1), .integer(2), .integer(3)]])
    #expect(try table.condition(.oneOf(slot: 0, [.int(1), .int(2)])).sql == " WHERE (id IN ($1, $2))")
  }

  @Test("A position is compared key by key, also where it is negated")
  func position() throws {
    let after = BoundPredicate.after([BoundSortKey(slot: 1), BoundSortKey(slot: 0)], [.string("x"), .int(3)])
    let condition = try table.condition(after)
    #expect(
      condition.sql
        == " WHERE ((title >= $1) AND ((title > $2) OR ((title IS NOT DISTINCT FROM $3) AND (id > $4))))")
    let negated = try table.condition(.not(after))
    #expect(
      negated.sql
        == " WHERE (NOT coalesce((title > $1) OR ((title IS NOT DISTINCT FROM $2) AND (id > $3)), FALSE))")
    #expect(negated.constants == [.text([0x78]), .text([0x78]), .integer(3)])
  }

  @Test("An order is written in the words of the dialect and ends with the primary key")
  func order() throws {
    let keys = [BoundSortKey(slot: 1, isDescending: true), BoundSortKey(slot: 0), BoundSortKey(slot: 2)]
    #expect(
      try SQLSelection.orderClause(keys, table) == " ORDER BY title DESC NULLS LAST, id ASC NULLS FIRST")
    let error = #expect(throws: StorageError.self) {
      try SQLSelection.orderClause([BoundSortKey(slot: 3)], table)
    }
    #expect(error?.code == .unsupported)
  }
}
