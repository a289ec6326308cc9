import QuarryBackend
import QuarryCore
package import QuarryQuery

extension ReadTransaction {
  /// The rows of the query in its order, read page by page. An order that names the primary key has it last.
  func pagedRows(_ query: QueryTree, size: Int, key: String = "id") throws -> [Record] {
    var page = query
    page.limit = size
    var result: [Record] = []
    while true {
      let rows = try self.records.fetch(page)
      result += rows
      guard rows.count == size, let last = rows.last, result.count < 10_000 else { return result }
      let names = query.order.map(\.property).filter { $0 != key }
      page.position = QueryTree.PagePosition(
        values: names.map { last[$0] ?? .null }, key: last[key] ?? .null, fingerprint: query.fingerprint)
    }
  }
}

extension ColumnTable.View {
  /// Throws unless pages of several sizes are together what the reference says, in its order.
  package func expectPages(
    _ query: QueryTree, sizes: [Int] = [1, 2, 5], key: String = "id", file: String = #fileID, line: Int = #line
  ) throws {
    let expected = Reference.rows(query, from: rows, key: key).map { $0[key] ?? .null }
    for size in sizes {
      let actual = try transaction.pagedRows(query, size: size, key: key).map { $0[key] ?? .null }
      try expectEqual(actual, expected, "\(name): pages of \(size), \(query)", file: file, line: line)
    }
  }
}
