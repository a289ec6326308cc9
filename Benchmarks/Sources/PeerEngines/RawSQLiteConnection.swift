import BenchmarkHarness
import CBenchSQLite
import Foundation

/// A connection with the settings of Quarry's: a write-ahead log, synchronisation at every commit, 8 MiB of cache.
final class RawSQLiteConnection {
  private var database: OpaquePointer?
  private(set) var begin = RawStatement.none
  private(set) var beginRead = RawStatement.none
  private(set) var commit = RawStatement.none
  private(set) var rollback = RawStatement.none

  init(_ path: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else { throw failure("open") }
    sqlite3_busy_timeout(database, 10_000)
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;")
    begin = try prepare("BEGIN IMMEDIATE")
    beginRead = try prepare("BEGIN")
    commit = try prepare("COMMIT")
    rollback = try prepare("ROLLBACK")
  }

  func failure(_ what: String) -> BenchmarkError {
    BenchmarkError("raw-sqlite: \(what): " + String(cString: sqlite3_errmsg(database)))
  }

  var changes: Int { Int(sqlite3_changes(database)) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure("execute") }
  }

  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK else {
      throw failure("prepare")
    }
    return RawStatement(statement)
  }

  func close() throws {
    for statement in [begin, beginRead, commit, rollback] { statement.finalize() }
    guard sqlite3_close(database) == SQLITE_OK else { throw failure("close") }
  }
}

/// A prepared statement.
struct RawStatement {
  private let pointer: OpaquePointer?

  static var none: RawStatement { RawStatement(nil) }

  init(_ pointer: OpaquePointer?) {
    self.pointer = pointer
  }

  func bind(_ index: CInt, _ value: Int64) { sqlite3_bind_int64(pointer, index, value) }
  func bind(_ index: CInt, _ value: Double) { sqlite3_bind_double(pointer, index, value) }
  func bindNull(_ index: CInt) { sqlite3_bind_null(pointer, index) }
  /// The bytes must live until the statement is reset.
  func bind(_ index: CInt, _ text: UnsafeBufferPointer<UInt8>) {
    _ = bench_bind_text(pointer, index, text.baseAddress, text.count)
  }

  /// Whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
      sqlite3_reset(pointer)
      throw BenchmarkError("raw-sqlite: \(message)")
    }
  }

  func run() throws {
    while try step() {}
    sqlite3_reset(pointer)
  }

  func reset() { sqlite3_reset(pointer) }
  func finalize() { sqlite3_finalize(pointer) }

  func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(pointer, column) }
  func double(_ column: CInt) -> Double { sqlite3_column_double(pointer, column) }

  /// The text of a column, read as far as its first byte; its length.
  private func length(_ column: CInt) -> Int {
    guard sqlite3_column_text(pointer, column) != nil else { return -1 }
    return Int(sqlite3_column_bytes(pointer, column))
  }

  /// Reads every column of a person.
  @inline(__always)
  func add(to digest: inout Digest) {
    digest.add(
      id: integer(0), name: length(1), email: length(2), age: Int(integer(3)), score: double(4), created: double(5),
      active: integer(6) != 0, notes: length(7))
  }

  private func string(_ column: CInt) -> String? {
    sqlite3_column_text(pointer, column).map { String(cString: $0) }
  }

  func person() -> Person {
    Person(
      id: integer(0), name: string(1) ?? "", email: string(2) ?? "", age: Int(integer(3)), score: double(4),
      created: Date(timeIntervalSinceReferenceDate: double(5)), active: integer(6) != 0, notes: string(7))
  }
}

extension String {
  /// Lends the bytes.
  @inline(__always)
  func withUTF8Bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return try copy.withUTF8(body)
  }
}
