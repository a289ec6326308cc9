import BenchmarkHarness
import CBenchSQLite
import CBenchSQLiteFunctions

/// A connection with the settings of Quarry's: a write-ahead log, synchronisation at every commit, as much cache; and on
/// demand the same checks of pages.
final class RawSQLiteConnection {
  private let library: SQLiteLibrary
  private var database: OpaquePointer?
  private(set) var begin: RawStatement
  private(set) var beginRead: RawStatement
  private(set) var commit: RawStatement
  private(set) var rollback: RawStatement

  /// - Parameters:
  ///   - setting: SQL that comes before all else.
  ///   - checksPages: Whether the pages of a new file have Quarry's checksums, and SQLite looks at the cells of what it reads.
  init(_ path: String, _ library: SQLiteLibrary, setting: String, cacheBytes: Int, checksPages: Bool = false) throws {
    self.library = library
    (begin, beginRead, commit, rollback) = (.none(library), .none(library), .none(library), .none(library))
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let files = checksPages ? "quarry-checked" : nil
    guard functions.open_v2(path, &database, flags, files) == SQLITE_OK else { throw failure("open") }
    _ = functions.busy_timeout(database, 10_000)
    if checksPages {
      var reserved: CInt = 32
      guard functions.file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved) == SQLITE_OK else {
        throw failure("reserve bytes of pages")
      }
      try execute("PRAGMA page_size = 4096; PRAGMA cell_size_check = ON;")
    }
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
