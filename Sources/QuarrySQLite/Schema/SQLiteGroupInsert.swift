import QuarryBackend

/// The statement that inserts several rows: a quarter of the work for a single row is done once.
///
/// When a row is refused, those before it stay in the table, and the error does not say which row it was.
final class SQLiteGroupInsert {
  /// From how many rows on preparing it is worth the time.
  static let fewestRows = 128
  private static let mostRows = 16
  private static let mostParameters = 256

  let statement: SQLiteStatement
  /// For each row its parameters, and the memory for what is bound there.
  let rows: [(plan: SQLiteBindPlan, scratch: RowScratch)]

  init(_ table: SQLiteTable, _ connection: SQLiteConnection) throws(StorageError) {
    let names = table.insertPlan.names
    let columns = table.columns.compactMap(\.self)
    let count = max(1, min(Self.mostRows, Self.mostParameters / names.count))
    rows = (0..<count).map {
      (SQLiteBindPlan(columns, hasNaN: table.hasNaN, first: 1 + $0 * names.count), RowScratch())
    }
    let row = "(" + names.map { _ in "?" }.joined(separator: ", ") + ")"
    let values = rows.map { _ in row }.joined(separator: ", ")
    // Not to undo the statement alone: SQLite would write each page that changes into a separate file.
    statement = try connection.prepare(
      "INSERT OR FAIL INTO \(table.name) (\(names.joined(separator: ", "))) VALUES \(values)")
  }
}
