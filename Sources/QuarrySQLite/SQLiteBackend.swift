import CSQLite
import Foundation
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A store in an SQLite database: tables, columns and indexes that any SQLite program can read, where it is not sealed.
///
/// One connection writes, others read; all are taken from one pool. The database has a write-ahead log, so that readers
/// and the writer do not wait for each other.
final class SQLiteBackend: Backend {
  let manifest: BackendManifest
  let file: SQLiteFile
  let pool: SQLitePool
  let shared = SQLiteSharedSchema()
  /// The number of open snapshots.
  let snapshots = Atomic<Int>(0)
  /// Whether a slot of the key was found damaged or older than the other: the next commit overwrites it.
  let needsMending = Atomic<Bool>(false)
  let isReadOnly: Bool
  let busyTimeout: Double
  /// The files of a sealed store; nil for a plain one.
  let vfs: SealedVFS?
  let writer: SQLiteWriterLock
  let otherUsers = SQLiteOtherUsers()
  let openingReport: OpeningReport
  private let closed = Atomic<Bool>(false)
  /// Whether readers have made the log grow beyond what checkpoints keep it at.
  let hasLargeLog = Atomic<Bool>(false)

  /// The oldest SQLite with STRICT tables.
  static let oldestEngine: Int32 = 3_037_000
  /// Pages of the log at which they are moved into the database, and at which a log that an old reader has kept is worth
  /// emptying.
  static let checkpointPages = 1_000
  static let largeLogPages = 4_000

  init(_ configuration: SQLiteConfiguration, _ options: OpenOptions) throws(StorageError) {
    let durability = options.durability ?? .powerLoss
    try SQLiteConfiguration.manifest.check(options)
    guard sqlite3_libversion_number() >= Self.oldestEngine else {
      throw StorageError(
        .unsupported, "SQLite 3.37 or newer is needed, this is \(String(cString: sqlite3_libversion()))")
    }
    guard sqlite3_threadsafe() != 0 else {
      throw StorageError(.unsupported, "this SQLite library was built for a single thread")
    }
    let file = try SQLiteFile(configuration.path)
    if options.ignoresFileSizeSignal { FileSizeSignal.ignore() }
    self.file = file
    try file.requireOrdinaryLogs()
    let mayMake = options.createsIfMissing && !options.isReadOnly
    let vfs = try options.encryption.flatMap { encryption throws(StorageError) in
      try SealedVFS.forStore(at: file, encryption, makes: mayMake, syncsLogSlots: durability != .none)
    }
    self.vfs = vfs
    isReadOnly = options.isReadOnly
    busyTimeout = options.busyTimeout
    var settings = SQLiteConnection.Options(
      path: file.path, access: .readWrite, durability: durability,
      cacheBytes: configuration.cacheBytes(isSealed: vfs != nil), statements: max(4, configuration.statements),
      busyMilliseconds: Deadline.milliseconds(options.busyTimeout), vfs: vfs, checksNew: configuration.checksums)
    var fileState: SQLiteFileState?
    var content = try file.content(vfs, mayWrite: !options.isReadOnly)
    openingReport = OpeningReport(
      foreignLog: try Self.foreignLog(file, vfs, content, mayMake: mayMake, options))
    if content == .missing, mayMake, file.makeWhole(vfs?.keys, hasChecksums: configuration.checksums) {
      content = .store(hasLog: true)
    }
    switch content {
    case .missing where !mayMake, .empty where !mayMake: throw .noStore(at: file.path)
    case .missing: try file.create()
    case .empty: break
    case .store:
      if options.isReadOnly { (settings.access, fileState) = try Self.readAccess(file, vfs) }
    }
    let connection = try SQLiteConnection(settings)
    writer = .of(connection.descriptor?.identity)
    vfs?.endMaking()
    connection.fileState = fileState
    if !options.isReadOnly {
      guard sqlite3_db_readonly(connection.database, "main") == 0 else {
        // SQLite opens for reading what it could not open for writing, also a file that came in between.
        throw .isUnwritable(file.path, cause: access(file.path, W_OK) == 0 ? SQLiteFileMoved() : nil)
      }
      // A process that was killed while it made the store leaves a journal, whose recovery leaves nothing.
      let isUnmade = options.createsIfMissing && file.hasJournal
      try connection.prepareStore(
        mayBeEmpty: content == .missing || content == .empty || isUnmade, options.busyTimeout)
      if vfs != nil {
        // This connection keeps other processes from rewriting the store.
        SQLiteReplacement.removeLeftover(of: file)
        needsMending.store(try connection.hasStaleSlot(file), ordering: .relaxed)
      }
    }
    try connection.configure(settings)
    manifest = .sqlite(
      durability: durability, length: connection.limit(SQLITE_LIMIT_LENGTH),
      columns: min(connection.limit(SQLITE_LIMIT_COLUMN), connection.limit(SQLITE_LIMIT_VARIABLE_NUMBER)))
    pool = SQLitePool(file, settings, fileState: fileState, capacity: max(1, configuration.readers))
    // The first read finds damage, and a schema of a newer version.
    _ = try connection.beginRead(shared)
    connection.endRead()
    pool.adopt(connection)
  }

  /// Handles a foreign log next to the database: it is put aside before SQLite reads it as part of the store.
  private static func foreignLog(
    _ file: SQLiteFile, _ vfs: SealedVFS?, _ content: SQLiteFile.Content, mayMake: Bool, _ options: OpenOptions
  ) throws(StorageError) -> OpeningReport.ForeignLog? {
    switch content {
    case .missing: return mayMake ? try file.putAbandonedLogsAside(options.busyTimeout) : nil
    // A journal next to it was left by a process that was creating the store.
    case .empty: return mayMake && file.walByteCount > 0 ? try file.putAbandonedLogsAside(options.busyTimeout) : nil
    case .store where options.isReadOnly:
      guard try file.hasForeignLog(vfs) else { return nil }
      return OpeningReport.ForeignLog(path: file.walPath, bytes: file.walByteCount)
    case .store: return try file.putForeignLogAside(vfs, options.busyTimeout)
    }
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  // MARK: Reading

  /// How a store is read without writing a file.
  private static func readAccess(
    _ file: SQLiteFile, _ vfs: SealedVFS?
  ) throws(StorageError) -> (SQLiteFileAccess, SQLiteFileState?) {
    guard case .store(let hasLog) = try file.content(vfs) else {
      throw StorageError(.notFound, "the store at \(file.path) no longer exists")
    }
    guard hasLog else { return (.readPlain, nil) }
    let state = SQLiteFileState(file)
    // A log of another database is no part of this one.
    var isWhole = state.isWhole
    if !isWhole, state.isThere { isWhole = try file.hasForeignLog(vfs) }
    if isWhole {
      state.settle()
      return (.readUnchanging, state)
    }
    guard file.hasSharedMemory else {
      throw .notClosed(file.path)
    }
    return (.readShared, nil)
  }

  /// Takes a connection for reading.
  func takeReader() throws(StorageError) -> SQLiteConnection {
    guard !isClosed else { throw .storeClosed }
    if isReadOnly, let state = pool.fileState, SQLiteFileState(file) != state {
      let (access, state) = try Self.readAccess(file, vfs)
      pool.change(access, state)
    }
    return try pool.take()
  }

  /// Calls the body with a connection whose read transaction has begun. It gives the connection on.
  func beginOnReader() throws(StorageError) -> (SQLiteConnection, SQLiteModels, CommitVersion) {
    var attempts = 0
    while true {
      let connection = try takeReader()
      do throws(StorageError) {
        let (models, version) = try connection.beginRead(shared)
        return (connection, models, version)
      } catch {
        pool.give(connection)
        // The file may have been changed between the check and the first read.
        attempts += 1
        guard isReadOnly, attempts < 3, connection.fileState != nil else { throw error }
      }
    }
  }

  func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let (connection, models, version) = try beginOnReader()
    return SQLiteReadTransaction(self, connection, models, base: version)
  }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try withRow(model, key, of: nil, body) ?? false
  }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    try withRow(model, key, of: version, body)
  }

  /// - Parameter version: The version of the only schema whose rows are given; nil for any.
  @inline(__always)
  private func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, of version: UInt64?,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool? {
    let connection = try takeReader()
    if connection.fileState == nil, let models = connection.models {
      // A statement by itself is a transaction. When SQLite has prepared it again the schema has changed, so the row is read once
      // more below, with the schema of its state.
      var row: UnsafeRawBufferPointer?
      var isCurrent = false
      do throws(StorageError) {
        let found = try models.model(model)
        if let statement = found.getStatement {
          row = try connection.row(found, key)
          isCurrent =
            found.getStatement === statement
            && sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_REPREPARE, 0) == found.getReprepares
        }
      } catch {
        isCurrent = false
      }
      if isCurrent {
        defer { pool.give(connection) }
        if let version, models.state.schema.version != version { return nil }
        guard let row else { return false }
        try body(row)
        return true
      }
      connection.models = nil
    }
    pool.give(connection)
    let (reader, models, base) = try beginOnReader()
    let transaction = SQLiteReadTransaction(self, reader, models, base: base)
    defer { transaction.end() }
    if let version, models.state.schema.version != version { return nil }
    guard let row = try transaction.row(model, key) else { return false }
    try body(row)
    return true
  }

  func snapshot() throws(StorageError) -> any BackendSnapshot {
    let limit = manifest.limits.openSnapshots ?? Int.max
    let (old, _) = snapshots.add(1, ordering: .relaxed)
    do throws(StorageError) {
      guard old < limit else { throw .limitExceeded("open snapshots", limit: limit, actual: old + 1) }
      let (connection, models, version) = try beginOnReader()
      return SQLiteSnapshot(self, connection, models, version)
    } catch {
      snapshots.subtract(1, ordering: .relaxed)
      throw error
    }
  }

  // MARK: Writing

  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    guard !isClosed else { throw .storeClosed }
    guard !isReadOnly else { throw .openedForReading }
    try manifest.check(options)
    let timeout = options.timeout ?? busyTimeout
    let deadline = Deadline(after: timeout)
    try writer.take(timeout)
    do throws(StorageError) {
      let connection = try pool.take()
      do throws(StorageError) {
        defer { connection.setBusyTimeout(Deadline.milliseconds(busyTimeout)) }
        connection.countWALPages()
        guard try connection.beginWriting(deadline.secondsLeft) else { throw .busy(timeout) }
        let (models, version) = try connection.readState(shared)
        let transaction = SQLiteWriteTransaction(self, connection, models, base: version)
        return transaction.capturingDirectly(options.capture)
      } catch {
        connection.rollBack()
        pool.give(connection)
        throw error
      }
    } catch {
      writer.give()
      throw error
    }
  }

  /// Called when the write transaction has ended and its connection is in no transaction.
  func endWrite(_ connection: SQLiteConnection) {
    let pages = connection.walPages.load(ordering: .relaxed)
    if pages >= Self.checkpointPages {
      // The log of a large transaction, all of whose pages were moved, is kept: writing over it is much quicker than letting it
      // grow again. Growth caused by readers, beyond what the database could need, is not kept.
      let isMoved = connection.checkpoint()
      if pages >= Self.largeLogPages, !isMoved || file.walByteCount / 2 > file.databaseByteCount {
        hasLargeLog.store(true, ordering: .relaxed)
      }
    }
    pool.give(connection)
    writer.give()
    emptyLargeLog()
  }

  /// Empties a log that an old reader has kept from being used again, once there are no readers.
  func emptyLargeLog() {
    guard hasLargeLog.load(ordering: .relaxed), !isClosed, pool.usedCount == 0 else { return }
    guard let connection = try? pool.take() else { return }
    connection.setBusyTimeout(0)
    if connection.emptyLog() { hasLargeLog.store(false, ordering: .relaxed) }
    connection.setBusyTimeout(Deadline.milliseconds(busyTimeout))
    pool.give(connection)
  }

  // MARK: The end

  func destroy() throws(StorageError) {
    guard !isClosed else { throw .storeClosed }
    guard !isReadOnly else { throw .openedForReading }
    try requireInPlace()
    try otherUsers.requireNone(file)
    defer { otherUsers.end() }
    closed.store(true, ordering: .releasing)
    pool.close(detaches: true)
    try file.remove()
  }

  func close() throws(StorageError) {
    guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    pool.close(detaches: false)
  }
}
