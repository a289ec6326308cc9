import CSQLite
import Testing

/// An SQLite database that another program makes.
enum ForeignFile {
  /// Runs statements in a database, which is created.
  static func make(_ path: String, _ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    try #require(sqlite3_open(path, &database) == SQLITE_OK)
    let result = sqlite3_exec(database, sql, nil, nil, nil)
    try #require(result == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
  }
}
