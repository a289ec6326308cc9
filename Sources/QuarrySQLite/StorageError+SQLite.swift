import CSQLite
import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StorageError {
  /// The error that a call of SQLite gave back.
  ///
  /// Violations of constraints are distinguished where they happen: here they are only `uniqueViolation` or `corrupt`.
  ///
  /// - Parameter database: The connection that has the message, if there is one.
  init(sqlite result: Int32, _ database: OpaquePointer?, _ doing: String? = nil) {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? result
    // The extended code of the connection belongs to this result only when it is of the same kind.
    let exact = extended & 0xFF == result & 0xFF ? extended : result
    let systemError = database.map { Self.systemError(of: exact, $0) } ?? 0
    var text = String(cString: sqlite3_errstr(exact))
    if let database, sqlite3_errcode(database) & 0xFF == result & 0xFF, let message = sqlite3_errmsg(database) {
      text = String(cString: message)
    }
    if exact & 0xFF == SQLITE_IOERR { text += " (\(SQLiteError(code: exact, systemError: systemError).numbers))" }
    if exact == FileResult.damaged { text = "a part of the store is damaged, or not of this store" }
    if let doing { text = "\(doing): \(text)" }
    self.init(
      Self.code(of: exact, systemError: systemError), text,
      cause: SQLiteError(code: exact, systemError: systemError))
  }

  /// The `errno` of the failed system call.
  ///
  /// SQLite does not keep the `errno` of a commit, and asks for a write's `errno` only when it has undone the transaction, with
  /// other calls. The files keep theirs.
  private static func systemError(of result: Int32, _ database: OpaquePointer) -> Int32 {
    guard result & 0xFF == SQLITE_IOERR else { return sqlite3_system_errno(database) }
    var code: Int32 = 0
    var log: UnsafeMutablePointer<sqlite3_file>?
    if sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK,
      let log, let methods = log.pointee.pMethods,
      methods.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK, code != 0
    {
      return code
    }
    if result == FileResult.write,
      sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK, code != 0
    {
      return code
    }
    return sqlite3_system_errno(database)
  }

  private static func code(of result: Int32, systemError: Int32) -> Code {
    switch result & 0xFF {
    case SQLITE_FULL: .full
    case SQLITE_IOERR where result == FileResult.damaged: .corrupt
    // SQLite knows a device without space, and no quota or limit of a file.
    case SQLITE_IOERR: Code(errno: systemError) == .full ? .full : .io
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH: .corrupt
    case SQLITE_READONLY where result == FileResult.moved: .io
    case SQLITE_READONLY: .readOnly
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOLFS: .io
    case SQLITE_TOOBIG, SQLITE_NOMEM, SQLITE_RANGE: .limitExceeded
    case SQLITE_CONSTRAINT:
      switch result {
      case SQLITE_CONSTRAINT | 6 << 8, SQLITE_CONSTRAINT | 10 << 8: .duplicateKey  // PRIMARYKEY, ROWID
      case SQLITE_CONSTRAINT | 8 << 8: .uniqueViolation  // UNIQUE
      default: .corrupt
      }
    // Quarry's statements are valid for the tables that it created: when SQLite rejects one, the tables have changed.
    case SQLITE_ERROR, SQLITE_SCHEMA: .corrupt
    default: .io
    }
  }
}

/// The error of SQLite underneath a ``StorageError``.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The extended result code.
  public let code: Int32
  /// The `errno` of the failed system call, 0 when there was none.
  public let systemError: Int32

  public var description: String {
    "\(numbers): \(String(cString: sqlite3_errstr(code)))"
  }

  /// The codes: SQLite has one text for thirty kinds of failed calls.
  var numbers: String { systemError == 0 ? "SQLite \(code)" : "SQLite \(code), errno \(systemError)" }
}
