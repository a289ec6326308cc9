import BenchmarkHarness
import CBenchSQLite
import CBenchSQLiteFunctions

/// A connection with the settings of Quarry's: a write-ahead log, synchronisation at every commit, as much cache.
final class RawSQLiteConnection {
  private let library: SQLiteLibrary
  private var database: OpaquePointer?
  private(set) var begin: RawStatement
  private(set) var beginRead: RawStatement
  private(set) var commit: RawStatement
  private(set) var rollback: RawStatement

  /// - Parameter setting: SQL that comes before all else.
  init(_ path: String, _ library: SQLiteLibrary, setting: String, cacheBytes: Int) throws {
    self.library = library
    (begin, beginRead, commit, rollback) = (.none(library), .none(library), .none(library), .none(library))
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard functions.open_v2(path, &database, flags, nil) == SQLITE_OK else { throw failure("open") }
    _ = functions.busy_timeout(database, 10_000)
    try execute(setting)
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -\(cacheBytes / 1024);")
    begin = try prepare("BEGIN IMMEDIATE")
    beginRead = try prepare("BEGIN")
    commit = try prepare("COMMIT")
    rollback = try prepare("ROLLBACK")
  }

  private var functions: bench_sqlite_functions { library.functions.pointee }

  func failure(_ what: String) -> BenchmarkError {
    BenchmarkError("\(library.name): \(what): \(library.message(database))")
  }

  var changes: Int { Int(functions.changes(database)) }

  func execute(_ sql: String) throws {
    guard functions.exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure("execute") }
  }

  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    guard functions.prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure("prepare") }
    return RawStatement(statement, library)
  }

  func close() throws {
    for statement in [begin, beginRead, commit, rollback] { statement.finalize() }
    guard functions.close(database) == SQLITE_OK else { throw failure("close") }
  }
}
