import CSQLite
import QuarryBackend
import QuarrySQL
import QuarrySystem
import Synchronization

/// One connection to the database, with its statements.
///
/// Sendable unchecked: it is opened without SQLite's mutex and its statements are not protected either, but it is owned
/// by one transaction, snapshot or call at a time. The pool and the writer's lock hand it from thread to thread, which
/// orders what they do; a snapshot uses it under its own lock.
final class SQLiteConnection: @unchecked Sendable {
  /// How a connection is opened.
  struct Options: Sendable {
    var path: String
    var access: SQLiteFileAccess
    var durability: BackendManifest.Durability
    /// Bytes of the page cache.
    var cacheBytes: Int
    /// Statements kept in addition to the statements of the models.
    var statements: Int
    /// Milliseconds that a statement waits for another process.
    var busyMilliseconds: Int32
    /// The files of a sealed store; nil for a plain one.
    var vfs: SealedVFS?
    /// Whether a plain database that is made gets checksums.
    var checksNew = true
  }

  let database: OpaquePointer
  /// The files of a sealed store, which are there as long as the connection.
  let vfs: SealedVFS?
  /// Nil where SQLite has no file, or one that is laid out otherwise.
  let descriptor: OpenDescriptor?
  let rowFunction: SQLiteRowFunction
  @exclusivity(unchecked) private var cache: SQLiteStatementCache
  @exclusivity(unchecked) private var fixed: [SQLiteStatement?] = Array(repeating: nil, count: Fixed.allCases.count)
  /// The state on this connection for the models of the schema that was read last.
  @exclusivity(unchecked) var models: SQLiteModels? {
    // Ended transactions still hold the object, but must not keep the database open by its statements.
    didSet { if oldValue !== models { oldValue?.finalizeStatements() } }
  }
  /// The statements in use.
  @exclusivity(unchecked) var leases: [SQLiteLease] = []
  /// How many there were so far.
  @exclusivity(unchecked) var leaseCount = 0
  /// Whether the transaction has made or changed tables, temporary ones too.
  @exclusivity(unchecked) var hasNewTables = false
  /// The state of a file that is read as unchanging.
  @exclusivity(unchecked) var fileState: SQLiteFileState?
  /// The number of the next long list.
  var nextList: Int64 = 1
  private var isClosed = false
  /// The number of pages in the write-ahead log after the last commit on this connection.
  let walPages = Atomic<Int>(0)

  init(_ options: Options) throws(StorageError) {
    let files: StoreVFS =
      if let vfs = options.vfs { vfs } else { try CheckedVFS.shared(checksNew: options.checksNew) }
    let database = try Self.open(
      options.access.name(of: options.path), options.access.flags | SQLITE_OPEN_PRIVATECACHE, files, "opening")
    let rowFunction: SQLiteRowFunction
    do throws(StorageError) {
      rowFunction = try SQLiteRowFunction(database)
    } catch {
      sqlite3_close_v2(database)
      throw error
    }
    self.database = database
    self.rowFunction = rowFunction
    descriptor = OpenDescriptor(of: database, files, path: options.path)
    vfs = options.vfs
    cache = SQLiteStatementCache(capacity: options.statements)
    sqlite3_extended_result_codes(database, 1)
    sqlite3_busy_timeout(database, options.busyMilliseconds)
    // Text in double quotes is a name and nothing else, and foreign additions to the schema are not trusted.
    quarry_sqlite3_configure(database, SQLITE_DBCONFIG_DQS_DML, 0)
    quarry_sqlite3_configure(database, SQLITE_DBCONFIG_DQS_DDL, 0)
    quarry_sqlite3_configure(database, SQLITE_DBCONFIG_DEFENSIVE, 1)
    quarry_sqlite3_configure(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    quarry_sqlite3_configure(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    // Of a sealed store nothing goes into files of SQLite's own, which would be in the clear: there are none.
    if vfs != nil { try run("PRAGMA temp_store = MEMORY") }
  }

  deinit {
    close()
  }

  /// Opens a database without SQLite's mutex.
  ///
  /// - Parameter what: The operation, for the error.
  static func open(
    _ name: String, _ flags: Int32, _ vfs: StoreVFS?, _ what: String
  ) throws(StorageError) -> OpaquePointer {
    let vfs: StoreVFS = if let vfs { vfs } else { try CheckedVFS.shared(checksNew: true) }
    var database: OpaquePointer?
    let result = sqlite3_open_v2(name, &database, flags | SQLITE_OPEN_NOMUTEX, vfs.name)
    // The file may be a new one, put here after the last look. SQLite takes its first lock with the first read.
    SQLiteFile.waitForMakers()
    guard result == SQLITE_OK, let database else {
      defer { sqlite3_close_v2(database) }
      if let sealed = vfs as? SealedVFS, result & 0xFF == SQLITE_AUTH { throw sealed.failure }
      throw StorageError(sqlite: result == SQLITE_OK ? SQLITE_NOMEM : result, database, what)
    }
    return database
  }

  /// Closes the database at once, even if this object is still referenced.
  ///
  /// It is not used afterwards, because it is closed only where it is in no transaction. A second call does nothing.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    endLeases()
    models = nil
    cache.removeAll()
    fixed.removeAll()
    sqlite3_close_v2(database)
  }

  /// Settings that need the file, made after the file was checked.
  func configure(_ options: Options) throws(StorageError) {
    let synchronous =
      switch options.durability {
      case .powerLoss: "FULL"
      case .processCrash: "NORMAL"
      case .none: "OFF"
      }
    try run("PRAGMA synchronous = \(synchronous)")
    try run("PRAGMA cache_size = -\(min(max(64, options.cacheBytes / 1024), Int(Int32.max)))")
    try run("PRAGMA foreign_keys = OFF")
    try run("PRAGMA cell_size_check = ON")
    // A mapped file that another process makes shorter would end this one.
    try run("PRAGMA mmap_size = 0")
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  /// Begins a write transaction when the processes that asked before have had theirs.
  ///
  /// - Parameter seconds: How long to wait.
  /// - Returns: Whether it has begun; if not, another process holds the store.
  func beginWriting(_ seconds: Double) throws(StorageError) -> Bool {
    func attempt() throws(StorageError) -> Bool {
      do throws(StorageError) {
        try run(Fixed.beginImmediate)
        return true
      } catch {
        guard error.code == .busy else { throw error }
        return false
      }
    }
    guard let descriptor else {
      setBusyTimeout(Deadline.milliseconds(seconds))
      return try attempt()
    }
    setBusyTimeout(0)
    return try Turnstile(ByteLocks(descriptor: descriptor.number), at: 1 << 61).pass(seconds, attempt)
  }

  /// - Throws: `io` when the path names another file than the open one, or nothing.
  func requireInPlace(at path: String) throws(StorageError) {
    if let descriptor {
      if !descriptor.identity.isNamed(by: path) { throw .removedOrReplaced(path) }
      return
    }
    do throws(StorageError) {
      try requireInPlace()
    } catch {
      throw error.cause is SQLiteFileMoved ? .removedOrReplaced(path) : error
    }
  }

  /// Milliseconds that statements wait for another process.
  func setBusyTimeout(_ milliseconds: Int32) {
    sqlite3_busy_timeout(database, milliseconds)
  }

  func limit(_ which: Int32) -> Int {
    Int(sqlite3_limit(database, which, -1))
  }

  // MARK: Statements

  /// Statements that every transaction needs.
  enum Fixed: Int, CaseIterable {
    case begin, beginImmediate, commit, rollback, state, raise
    case savepoint, release, rollbackTo, statementSavepoint, statementRelease, statementRollbackTo

    var sql: String {
      switch self {
      case .begin: "BEGIN"
      case .beginImmediate: "BEGIN IMMEDIATE"
      case .commit: "COMMIT"
      case .rollback: "ROLLBACK"
      case .state: SQLiteSchemaStore.stateSQL
      case .raise: SQLiteSchemaStore.raiseSQL
      // Savepoints of one name nest: the innermost is meant.
      case .savepoint: #"SAVEPOINT "_quarry_user""#
      case .release: #"RELEASE "_quarry_user""#
      case .rollbackTo: #"ROLLBACK TO "_quarry_user""#
      case .statementSavepoint: #"SAVEPOINT "_quarry_statement""#
      case .statementRelease: #"RELEASE "_quarry_statement""#
      case .statementRollbackTo: #"ROLLBACK TO "_quarry_statement""#
      }
    }
  }

  func statement(_ which: Fixed) throws(StorageError) -> SQLiteStatement {
    if let statement = fixed[which.rawValue] { return statement }
    let statement = try prepare(which.sql)
    fixed[which.rawValue] = statement
    return statement
  }

  func run(_ which: Fixed) throws(StorageError) {
    try statement(which).run()
  }

  /// Runs statements that have no parameters and are not kept.
  func run(_ sql: String) throws(StorageError) {
    try SQLiteStatement(database, sql, isKept: false).run()
  }

  /// Runs a statement that is kept.
  func runKept(_ sql: String, _ values: [SQLConstant] = []) throws(StorageError) {
    let statement = try lease(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    try statement.run()
  }

  /// The first column of the first row as an integer, or nil without a row.
  func integer(_ sql: String, _ values: [SQLConstant] = []) throws(StorageError) -> Int64? {
    let statement = try lease(sql)
    defer { giveBack(statement) }
    try statement.bind(values)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Takes a statement out of the cache, or prepares it. The caller returns it.
  func lease(_ sql: String) throws(StorageError) -> SQLiteStatement {
    if let statement = cache.take(ByteString(sql)) { return statement }
    return try prepare(sql)
  }

  /// Resets a leased statement and keeps it for the next time.
  func giveBack(_ statement: SQLiteStatement) {
    statement.reset()
    statement.clearBindings()
    cache.put(statement)
  }

  /// Prepares a statement that its owner keeps.
  func prepare(_ sql: String) throws(StorageError) -> SQLiteStatement {
    try SQLiteStatement(database, sql, isKept: true)
  }

  /// Rolls back whatever is open.
  func rollBack() {
    hasNewTables = false
    guard isInTransaction else { return }
    try? run(Fixed.rollback)
  }

  /// Makes the closing of this connection leave the files alone: they may be gone, and others in their place.
  func detachFromFiles() {
    quarry_sqlite3_configure(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    var isKept: Int32 = 1
    sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
  }

  // MARK: The write-ahead log

  /// Counts the pages of the log after each commit. It takes the place of SQLite's automatic checkpoints.
  func countWALPages() {
    sqlite3_wal_hook(
      database,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
        connection.walPages.store(Int(pages), ordering: .relaxed)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Moves pages of the log into the database.
  ///
  /// - Returns: Whether all were moved, so that the next commit writes the log from its beginning.
  func checkpoint() -> Bool {
    var pages: Int32 = 0
    var moved: Int32 = -1
    let result = sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
    return result == SQLITE_OK && moved == pages
  }

  /// Moves all pages of the log into the database and empties it, which fails while another connection needs it.
  ///
  /// - Returns: Whether it was done.
  func emptyLog() -> Bool {
    sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
  }
}
