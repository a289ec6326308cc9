import CSQLite
import QuarryBackend
import QuarrySQL

/// A statement in use with the long lists that it reads. It ends once: with its cursor, or with the transaction.
final class SQLiteLease {
  @exclusivity(unchecked) private(set) var statement: SQLiteStatement?
  private let connection: SQLiteConnection
  private let lists: [Int64]
  /// The owner of the statement, if it is not the connection.
  @exclusivity(unchecked) private var kept: SQLiteKeptSelect?
  /// How many leases the connection had given before.
  let number: Int
  /// The cursor that reads the statement's rows. It ends the lease before it goes, so that it is there as long as this
  /// names it.
  @exclusivity(unchecked) var cursor: Unmanaged<SQLiteCursor>?

  fileprivate init(
    _ statement: SQLiteStatement, _ connection: SQLiteConnection, _ lists: [Int64], _ kept: SQLiteKeptSelect? = nil
  ) {
    number = connection.leaseCount
    connection.leaseCount += 1
    self.statement = statement
    self.connection = connection
    self.lists = lists
    self.kept = kept
  }

  /// Gives the statement back. A second call does nothing.
  func end() {
    guard let statement else { return }
    self.statement = nil
    cursor = nil
    giveBack(statement)
    // Nearly always it is the only one.
    if connection.leases.last === self {
      connection.leases.removeLast()
    } else {
      connection.leases.removeAll { $0 === self }
    }
    // A list that a rollback has taken already is not missed.
    for list in lists { try? connection.runKept(Self.dropSQL, [.integer(list)]) }
  }

  /// Goes on with another statement that has the same constants.
  func change(to sql: String, _ values: [SQLConstant]) throws(StorageError) {
    guard let old = statement else { return }
    let new = try connection.lease(sql)
    do throws(StorageError) {
      try new.bind(values, lists)
    } catch {
      connection.giveBack(new)
      throw error
    }
    statement = new
    giveBack(old)
  }

  /// Gives a statement back to what keeps it. One that the lease changes to belongs to the connection.
  private func giveBack(_ statement: SQLiteStatement) {
    guard let kept else { return connection.giveBack(statement) }
    self.kept = nil
    statement.reset()
    statement.clearBindings()
    if !kept.put(statement) { connection.giveBack(statement) }
  }

  fileprivate static let createSQL =
    #"CREATE TEMP TABLE IF NOT EXISTS "_quarry_list" ("list" INTEGER, "value" ANY, PRIMARY KEY ("list", "value")) "#
    + "STRICT, WITHOUT ROWID"
  fileprivate static let insertSQL = #"INSERT OR IGNORE INTO temp."_quarry_list" VALUES (?1, ?2)"#
  fileprivate static let dropSQL = #"DELETE FROM temp."_quarry_list" WHERE "list" = ?1"#
}

extension SQLiteStatement {
  /// Binds constants from the first parameter on.
  ///
  /// - Parameter lists: The numbers of the long lists among them.
  fileprivate func bind(_ values: [SQLConstant], _ lists: [Int64]) throws(StorageError) {
    var index: Int32 = 0
    for value in values {
      index += 1
      if case .list(let list) = value {
        try bind(index, lists[list])
      } else {
        try bind(index, value)
      }
    }
  }
}

extension SQLiteConnection {
  /// Takes a statement for a while, with its constants bound and its long lists stored.
  func lease(
    _ sql: String, _ values: [SQLConstant], _ lists: [SQLList]
  ) throws(StorageError) -> SQLiteLease {
    var numbers: [Int64] = []
    for list in lists { numbers.append(try store(list)) }
    let statement = try lease(sql)
    let lease = SQLiteLease(statement, self, numbers)
    leases.append(lease)
    do throws(StorageError) {
      try statement.bind(values, numbers)
    } catch {
      lease.end()
      throw error
    }
    return lease
  }

  /// Takes the statement of a query that is kept, with other constants, of which none is a list.
  func lease(_ kept: SQLiteKeptSelect, _ values: [SQLConstant]) throws(StorageError) -> SQLiteLease {
    let lease = SQLiteLease(try kept.take(self), self, [], kept)
    leases.append(lease)
    do throws(StorageError) {
      try lease.statement?.bind(values)
    } catch {
      lease.end()
      throw error
    }
    return lease
  }

  /// Stores a list in the temporary table, which each connection has for itself.
  private func store(_ list: SQLList) throws(StorageError) -> Int64 {
    if try integer(#"SELECT 1 FROM temp.sqlite_schema WHERE name = '_quarry_list'"#) == nil {
      try run(SQLiteLease.createSQL)
      hasNewTables = true
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

  /// Undoes the changes since a savepoint, and ends it. Statements that were in use before it continue.
  ///
  /// - Parameter leases: How many leases had been given at the savepoint: the rows and lists of later ones are undone.
  func rollBack(
    _ rollback: Fixed, _ release: Fixed, leases: Int
  ) throws(StorageError) {
    for lease in self.leases.reversed() where lease.number >= leases { lease.end() }
    // Where tables were made or changed in the transaction, SQLite ends every statement with a rollback to a savepoint.
    if hasNewTables {
      for lease in self.leases { try lease.cursor?.takeUnretainedValue().readAhead() }
    }
    try run(rollback)
    try run(release)
  }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes64(database)) }
}
