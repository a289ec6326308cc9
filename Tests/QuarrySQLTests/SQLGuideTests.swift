import Foundation
import QuarryBackend
import QuarrySQL
import Testing

/// What docs/implementing-an-sql-backend.md shows is compiled, and does what it says.
@Suite struct SQLGuideTests {
  @Test func theCodeOfThePageIsCompiled() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let place = folder.appending(path: "../../docs/implementing-an-sql-backend.md").standardizedFileURL
    let page = try String(contentsOf: place, encoding: .utf8)
    let source = try String(contentsOf: folder.appending(path: "NumberedTable.swift"), encoding: .utf8)
    let blocks = page.matches(of: /```swift\n((?:[^`]|`[^`])*)```/).map { String($0.1) }
    #expect(blocks.count >= 5)
    for block in blocks { #expect(source.contains(block), "not compiled: \(block)") }
  }

  @Test func aStatementLimitsRowsOnlyWhereNothingIsLeftOver() throws {
    let table = NumberedTable()
    var query = BoundQuery(
      model: table.model.id, predicate: .compare(slot: 0, .greater, .int(7)),
      order: [BoundSortKey(slot: 2, isDescending: true), BoundSortKey(slot: 0)], limit: 5, offset: 10)
    var statement = try table.statement(query)
    #expect(
      statement.sql
        == "SELECT * FROM Book WHERE (id > $1) ORDER BY price DESC NULLS LAST, id ASC NULLS FIRST LIMIT 5 OFFSET 10")
    #expect(statement.constants == [.integer(7)])
    #expect(statement.rest == nil)
    query.predicate = .and([query.predicate, .text(slot: 1, .hasSuffix, "x", [])])
    statement = try table.statement(query)
    #expect(!statement.sql.contains("LIMIT"))
    #expect(statement.rest == .text(slot: 1, .hasSuffix, "x", []))
  }
}
