import CSQLite
import Foundation
package import QuarryBackend

/// An SQLite database of another program, opened for reading. Nothing is written to it or next to it.
///
/// The file is not trusted: its schema may call no function of the program, and damage that SQLite finds is `corrupt`.
package final class ForeignDatabase {
  /// The program or library that made a database, by its tables.
  package enum Kind: String, Sendable {
    case plain = "SQLite", grdb = "GRDB", coreData = "Core Data or SwiftData"
  }

  let handle: OpaquePointer
  /// The path that was given.
  package let path: String

  /// - Throws: `notFound`; `schemaMismatch` for a store of Quarry, which is read by its URL; `corrupt` for what is no SQLite
  ///   database; `io`.
  package init(path: String) throws(StorageError) {
    self.path = path
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else {
      throw StorageError(.notFound, "there is no file \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .isNoStore(path, "not a regular file") }
    handle = try Self.open(path)
    do throws(StorageError) {
      try configure()
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
  }

  deinit { sqlite3_close_v2(handle) }

  /// A database with a log is read together with it. One without is read as a file that does not change, because SQLite would
  /// otherwise create the files of a log next to it.
  private static func open(_ path: String) throws(StorageError) -> OpaquePointer {
    let allowed = CharacterSet(charactersIn: "/-_.~").union(.alphanumerics)
    let absolute = URL(fileURLWithPath: path).path
    let name = "file://\(absolute.addingPercentEncoding(withAllowedCharacters: allowed) ?? absolute)"
    let shared = try open(name + "?mode=ro", path)
    var log = stat()
    let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
    guard !hasLog, isInLogMode(shared) else { return shared }
    sqlite3_close_v2(shared)
    return try open(name + "?immutable=1", path)
  }

  private static func open(_ name: String, _ path: String) throws(StorageError) -> OpaquePointer {
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(
      name, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK, let handle else {
      let error = failure(result, handle, path)
      sqlite3_close_v2(handle)
      throw error
    }
    return handle
  }

  /// Whether the header names the write-ahead log.
  ///
  /// It is read through SQLite's own descriptor: closing another one would release the locks that this process has on the file.
  private static func isInLogMode(_ handle: OpaquePointer) -> Bool {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let read = file.pointee.pMethods?.pointee.xRead
    else { return false }
    var header = [UInt8](repeating: 0, count: 20)
    let result = header.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32($0.count), 0) }
    return result == SQLITE_OK && header[19] > 1
  }

  private func configure() throws(StorageError) {
    quarry_sqlite3_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    quarry_sqlite3_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    quarry_sqlite3_configure(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    quarry_sqlite3_configure(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    sqlite3_busy_timeout(handle, 5_000)
    let statement = try ForeignStatement(self, "PRAGMA application_id")
    guard try statement.step(), statement.integer(0) != 0x5172_7279 else {
      throw StorageError(.schemaMismatch, "\(path) is a store of Quarry: open it as sqlite:\(path)")
    }
    // One state of the database, whatever other programs write meanwhile.
    try run("BEGIN")
    try run("SELECT count(*) FROM sqlite_schema")
  }

  func run(_ sql: String) throws(StorageError) {
    let statement = try ForeignStatement(self, sql)
    while try statement.step() {}
  }

  /// The first column of the first row.
  func integer(_ sql: String) throws(StorageError) -> Int64 {
    let statement = try ForeignStatement(self, sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  func failure(_ result: Int32) -> StorageError { Self.failure(result, handle, path) }

  private static func failure(_ result: Int32, _ handle: OpaquePointer?, _ path: String) -> StorageError {
    let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
    let code: StorageError.Code =
      switch result & 0xFF {
      case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_FORMAT, SQLITE_ERROR: .corrupt
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_FULL: .full
      case SQLITE_TOOBIG, SQLITE_NOMEM: .limitExceeded
      default: .io
      }
    return StorageError(code, "\(path): \(text)")
  }

  /// A name in SQL.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}

/// A statement over a database of another program.
final class ForeignStatement {
  private let database: ForeignDatabase
  private let handle: OpaquePointer

  init(_ database: ForeignDatabase, _ sql: String, _ arguments: [String] = []) throws(StorageError) {
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v2(database.handle, sql, Int32(clamping: sql.utf8.count), &handle, nil)
    guard result == SQLITE_OK, let handle else { throw database.failure(result) }
    self.database = database
    self.handle = handle
    for (index, argument) in arguments.enumerated() {
      let bytes = Array(argument.utf8)
      let bound = bytes.withUnsafeBytes {
        quarry_sqlite3_bind_text_copy(handle, Int32(index + 1), $0.baseAddress, UInt64($0.count))
      }
      guard bound == SQLITE_OK else { throw database.failure(bound) }
    }
  }

  deinit { sqlite3_finalize(handle) }

  /// - Returns: Whether there is a row.
  func step() throws(StorageError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: throw database.failure(result)
    }
  }

  func kind(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The bytes of text or data, lent until the next step.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let text = kind(column) == SQLITE_TEXT
    let start = text ? UnsafeRawPointer(sqlite3_column_text(handle, column)) : sqlite3_column_blob(handle, column)
    guard let start else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Text; what is no UTF-8 in it is replaced.
  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
