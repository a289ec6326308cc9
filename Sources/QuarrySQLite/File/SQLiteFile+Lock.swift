import CSQLite
import QuarryBackend
import QuarrySystem

/// The database's file as SQLite has it open, for checks and for its lock; nothing in it is read as a database.
final class SQLiteRawFile {
  private let database: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let path: String

  /// - Parameter vfs: The files of a sealed store; nil for a plain one.
  init(_ path: String, writes: Bool, _ vfs: SealedVFS?) throws(StorageError) {
    self.path = path
    database = try SQLiteConnection.open(path, writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, vfs, path)
    var found: UnsafeMutablePointer<sqlite3_file>?
    let result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &found)
    guard result == SQLITE_OK, let found else {
      sqlite3_close_v2(database)
      throw StorageError(.io, "\(path) cannot be read")
    }
    file = found
  }

  deinit { sqlite3_close_v2(database) }

  /// The relation of a log with these salts to the database.
  func verdict(ofLog salts: UInt64) -> LogNote.Verdict {
    switch VFSFileMethods.file(file) {
    case let sealed as SealedDatabase: sealed.verdict(ofLog: salts)
    case let checked as CheckedDatabase: checked.verdict(ofLog: salts)
    default: .own
    }
  }

  /// Locks the file so that no connection of this process or another can read or write it, until this ends.
  ///
  /// - Returns: Whether the database is not open anywhere.
  func lock() -> Bool {
    guard let lock = file.pointee.pMethods?.pointee.xLock else { return false }
    // SQLITE_LOCK_SHARED, _RESERVED and _EXCLUSIVE, in SQLite's order.
    return [1, 2, 4].allSatisfy { lock(file, $0) == SQLITE_OK }
  }

  /// Whether the path still names the file.
  var isInPlace: Bool { VFSFileMethods.file(file)?.hasMoved != true }
}
