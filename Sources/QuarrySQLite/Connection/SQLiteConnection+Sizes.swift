import CSQLite
import QuarryBackend

extension SQLiteConnection {
  /// The bytes of the pages of each table and index by name; empty where SQLite was built without `dbstat`.
  ///
  /// - Complexity: Visits every page of the file.
  func sizes() throws(StorageError) -> [ByteString: Int] {
    guard sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB") != 0 else { return [:] }
    let statement = try prepare("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
    var sizes: [ByteString: Int] = [:]
    while try statement.step() {
      sizes[ByteString(String(decoding: statement.bytes(0), as: UTF8.self))] = Int(statement.integer(1))
    }
    return sizes
  }

  /// The bytes of all pages of the state that is read.
  func pageBytes() throws(StorageError) -> Int {
    Int((try integer("PRAGMA page_count") ?? 0) * (try integer("PRAGMA page_size") ?? 0))
  }

  /// The bytes of all rows and entries, which a database has however its pages are packed; 0 where SQLite was built without
  /// `dbstat`.
  ///
  /// - Complexity: Visits every page of the file.
  func payloadBytes() throws(StorageError) -> Int {
    guard sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB") != 0 else { return 0 }
    return Int(try integer("SELECT sum(payload) FROM dbstat WHERE aggregate = TRUE") ?? 0)
  }
}
