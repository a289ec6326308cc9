import QuarryBackend
import Testing

@testable import QuarrySQL

/// Conditions on the rows of other models in SQL.
struct SQLSubqueryTests {
  private let table = NumberedTable()

  private func rows(
    _ slot: Int, _ predicate: BoundPredicate, _ count: BoundSubquery.Count? = nil
  ) -> BoundSubquery {
    BoundSubquery(model: ModelID(1), slot: slot, predicate: predicate, count: count)
  }

  @Test func membershipInRows() throws {
    let named = BoundPredicate.compare(slot: 1, .equal, .string("a"))
    let found = try table.condition(.oneOfRows(slot: 0, rows(0, named)))
    #expect(found.sql == " WHERE (id IN (SELECT id FROM Book WHERE title = $1))")
    #expect(found.constants == [.text([97])])
    // Nothing that is nil is among the values, and a nil of one's own is not among them either.
    let titles = try table.condition(.not(.oneOfRows(slot: 1, rows(1, .compare(slot: 0, .less, .int(7))))))
    #expect(
      titles.sql
        == " WHERE ((title NOT IN (SELECT title FROM Book WHERE (title IS NOT NULL) AND (id < $1))) OR (title IS NULL))"
    )
    #expect(titles.constants == [.integer(7)])
  }

  @Test func numbersOfRows() throws {
    let many = try table.condition(
      .and([
        .compare(slot: 0, .greater, .int(1)), .oneOfRows(slot: 0, rows(0, .constant(true), .init(.notEqual, 3))),
        .compare(slot: 0, .less, .int(9)),
      ]))
    #expect(
      many.sql
        == " WHERE ((id > $1) AND (id IN (SELECT id FROM Book WHERE TRUE GROUP BY id HAVING count(*) <> $2)) AND (id < $3))"
    )
    #expect(many.constants == [.integer(1), .integer(3), .integer(9)])
  }

  @Test func nothingIsSearchedForNothing() throws {
    #expect(try table.condition(.oneOfRows(slot: 0, rows(0, .constant(false)))).sql == " WHERE (FALSE)")
    #expect(try table.condition(.not(.oneOfRows(slot: 0, rows(0, .constant(false))))).sql == "")
  }

  @Test func longListsInsideAreFoundFromOutside() throws {
    let list = BoundPredicate.oneOf(slot: 0, [.int(1), .int(2), .int(3)])
    let selection = try SQLSelection(.and([list, .oneOfRows(slot: 0, rows(0, list))]), table, in: table)
    #expect(selection.lists.count == 2)
    var constants: [SQLConstant] = []
    _ = selection.whereClause(&constants)
    #expect(constants == [.list(0), .list(1)])
  }

  /// What the database does not decide: floating point, whose NaN equals nothing; other types; conditions inside that the
  /// evaluator decides; models that are not there; more of them inside each other than a statement takes.
  @Test func whatIsLeftToLists() throws {
    let ending = BoundPredicate.text(slot: 1, .hasSuffix, "x", [])
    let missing = BoundSubquery(model: ModelID(9), slot: 0, predicate: .constant(true))
    var deep = BoundPredicate.constant(true)
    for _ in 0..<20 { deep = .oneOfRows(slot: 0, rows(0, deep)) }
    let left: [BoundPredicate] = [
      .oneOfRows(slot: 2, rows(2, .constant(true))), .oneOfRows(slot: 0, rows(1, .constant(true))),
      .oneOfRows(slot: 0, rows(0, ending)), .oneOfRows(slot: 0, missing), deep,
    ]
    for predicate in left {
      let selection = try SQLSelection(.and([predicate, .compare(slot: 0, .less, .int(9))]), table, in: table)
      #expect(selection.residual == [predicate])
      #expect(predicate.hasSubquery)
    }
  }
}
