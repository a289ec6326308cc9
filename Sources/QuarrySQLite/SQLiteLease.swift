import CSQLite
import QuarryBackend

/// A statement in use with the long lists that it reads. It ends once: with its cursor, or with the transaction.
final class SQLiteLease {
  private(set) var statement: SQLiteStatement?
  private let connection: SQLiteConnection
  private let lists: [Int64]

  fileprivate init(_ statement: SQLiteStatement, _ connection: SQLiteConnection, _ lists: [Int64]) {
    self.statement = statement
    self.connection = connection
    self.lists = lists
  }

  /// Gives the statement back. A second call does nothing.
  func end() {
    guard let statement else { return }
    self.statement = nil
    connection.giveBack(statement)
    connection.leases.removeAll { $0 === self }
    // A list that a rollback has taken already is not missed.
    for list in lists { try? connection.runKept(Self.dropSQL, [.integer(list)]) }
  }

  fileprivate static let createSQL =
    #"CREATE TEMP TABLE IF NOT EXISTS "_quarry_list" ("list" INTEGER, "value" ANY, PRIMARY KEY ("list", "value")) "#
    + "STRICT, WITHOUT ROWID"
  fileprivate static let insertSQL = #"INSERT OR IGNORE INTO temp."_quarry_list" VALUES (?1, ?2)"#
  fileprivate static let dropSQL = #"DELETE FROM temp."_quarry_list" WHERE "list" = ?1"#
}

extension SQLiteConnection {
  /// Takes a statement for a while, with its constants bound and its long lists stored.
  func lease(
    _ sql: String, _ values: [SQLiteValue], _ lists: [SQLiteList]
  ) throws(StorageError) -> SQLiteLease {
    var numbers: [Int64] = []
    for list in lists { numbers.append(try store(list)) }
    let statement = try lease(sql)
    let lease = SQLiteLease(statement, self, numbers)
    leases.append(lease)
    do throws(StorageError) {
      var index: Int32 = 0
      for value in values {
        index += 1
        if case .list(let list) = value {
          try statement.bind(index, numbers[list])
        } else {
          try statement.bind(index, value)
        }
      }
    } catch {
      lease.end()
      throw error
    }
    return lease
  }

  /// Stores a list in the temporary table, which each connection has for itself.
  private func store(_ list: SQLiteList) throws(StorageError) -> Int64 {
    if try integer(#"SELECT 1 FROM temp.sqlite_schema WHERE name = '_quarry_list'"#) == nil {
      try run(SQLiteLease.createSQL)
    }
    let number = nextList
    nextList += 1
    let statement = try lease(SQLiteLease.insertSQL)
    defer { giveBack(statement) }
    try statement.bind(1, number)
    for value in list.values {
      try statement.bind(2, value)
      try statement.run()
    }
    return number
  }

  /// Ends every statement in use.
  func endLeases() {
    while let lease = leases.last { lease.end() }
  }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes64(database)) }
}
