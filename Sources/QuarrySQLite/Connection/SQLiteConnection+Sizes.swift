import CSQLite
import QuarryBackend

extension SQLiteConnection {
  /// The bytes of the pages of each table and index by name; empty where SQLite was built without `dbstat`.
  ///
  /// - Complexity: A look at every page of the file.
  func sizes() throws(StorageError) -> [ByteString: Int] {
    guard sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB") != 0 else { return [:] }
    let statement = try prepare("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
    var sizes: [ByteString: Int] = [:]
    while try statement.step() {
      sizes[ByteString(String(decoding: statement.bytes(0), as: UTF8.self))] = Int(statement.integer(1))
    }
    return sizes
  }
}
