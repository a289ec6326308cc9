import CSQLite
import Foundation
import QuarryBackend

extension SQLiteConnection {
  /// Makes a store of an empty database, and sees to the write-ahead log.
  ///
  /// - Parameter mayBeEmpty: Whether there may be no tables yet; another process may make them at the same time.
  func prepareStore(mayBeEmpty: Bool, _ timeout: Double) throws(StorageError) {
    if mayBeEmpty {
      try run("PRAGMA synchronous = FULL")
      try makeStore()
    }
    guard try integer("PRAGMA application_id") == Int64(SQLiteSchemaStore.applicationID) else {
      // The recovery's leftovers of a process that was creating the store.
      if try integer("SELECT count(*) FROM sqlite_schema") == 0 {
        throw .noStore(at: sqlite3_db_filename(database, "main").map { String(cString: $0) } ?? "")
      }
      throw StorageError(.corrupt, "the database is not a store of Quarry")
    }
    // The log is found by the path, and would belong to another database.
    try requireInPlace()
    try switchToLog(timeout)
  }

  /// Makes the tables of a store where there are none.
  ///
  /// - Parameter hasChecksums: Whether its pages will have checksums; nil to ask the file.
  func makeStore(hasChecksums: Bool? = nil) throws(StorageError) {
    // Whatever this SQLite was built with: seals and checksums know one size.
    try run("PRAGMA page_size = \(SealedDatabaseFormat.pageBytes)")
    // Room at the end of each page for a checksum or a seal.
    var reserved: Int32 = 32
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    try run("BEGIN EXCLUSIVE")
    do throws(StorageError) {
      if try integer("SELECT count(*) FROM sqlite_schema") == 0 {
        try SQLiteSchemaStore.create(
          self, hasChecksums: hasChecksums ?? CheckedDatabase.of(database)?.hasChecksums ?? false)
      }
      try run("COMMIT")
    } catch {
      rollBack()
      throw error
    }
  }

  /// Switches a new database to its log, which SQLite refuses without waiting while another process reads it.
  private func switchToLog(_ timeout: Double) throws(StorageError) {
    let deadline = Deadline(after: timeout)
    while true {
      do throws(StorageError) {
        let statement = try SQLiteStatement(database, "PRAGMA journal_mode = WAL", isKept: false)
        guard try statement.step(), statement.bytes(0).elementsEqual("wal".utf8) else {
          throw StorageError(.io, "the file system does not support a write-ahead log")
        }
        return
      } catch {
        guard error.code == .busy, !deadline.hasPassed else { throw error }
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }
}
