import CSQLite
import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The database's file and the files next to it, read without SQLite's parser.
///
/// The file is never opened here by a descriptor of our own: closing it would release every lock that this process has
/// on the file through SQLite.
struct SQLiteFile: Sendable {
  /// The absolute path without links, which SQLite cannot take for a name of its own, such as `:memory:` or a URI.
  let path: String
  /// The absolute path as it was given, with links.
  let given: String

  /// The content of the path.
  enum Content: Equatable {
    case missing
    /// Nothing, or a database without a table.
    case empty
    /// A store of Quarry.
    case store(hasLog: Bool)
  }

  /// Maximum bytes of a path: SQLite keeps room for the endings of the files next to the database.
  static let longestPath = Int(sqlite3_vfs_find(nil)?.pointee.mxPathname ?? 512) - 8

  /// - Throws: `invalidValue` for a path that cannot name a file, `limitExceeded` for one that is too long, `notFound` where
  ///   there is no folder for it or it is a link to nothing.
  init(_ path: String) throws(StorageError) {
    if let error = StorageError.unusablePath(path) { throw error }
    guard path.utf8.last != UInt8(ascii: "/") else { throw .namesDirectory(path) }
    let absolute: String
    do throws(SystemError) {
      absolute = try SystemPath.absolute(path)
    } catch {
      throw StorageError(.io, "the working directory is not known: \(error)")
    }
    if let error = StorageError.unusablePath(absolute, limit: Self.longestPath) { throw error }
    given = absolute
    self.path = try SystemFileSystem().resolve(absolute)
    if let error = StorageError.unusablePath(self.path, limit: Self.longestPath) { throw error }
  }

  /// The endings of the names of the files that SQLite has next to a database.
  static let endings = ["-wal", "-shm", "-journal"]
  /// Of those from which SQLite reads pages of the database.
  static let logEndings = ["-wal", "-journal"]

  var walPath: String { Self.logPath(of: path) }
  static func logPath(of path: String) -> String { path + "-wal" }
  var sharedMemoryPath: String { path + "-shm" }
  var journalPath: String { path + "-journal" }
  /// The temporary name of a database that was rewritten with another key, before it takes the place.
  var replacementPath: String { OwnName.rekeyed(path) }

  static func size(_ path: String) -> Int { (try? FileStatus(at: path))?.size ?? 0 }

  /// Bytes of the database and of the files next to it.
  var byteCount: Int { Self.size(path) + Self.size(walPath) + Self.size(sharedMemoryPath) }
  var databaseByteCount: Int { Self.size(path) }
  var walByteCount: Int { Self.size(walPath) }
  var hasJournal: Bool { Self.size(journalPath) > 0 }
  var hasSharedMemory: Bool { (try? FileStatus(at: sharedMemoryPath)) != nil }

  /// Bytes of the file at the path.
  ///
  /// - Returns: Nil when there is none.
  /// - Throws: `notFound` when there is no folder for it; `io` when it cannot be read; `corrupt` when it is no file.
  func size() throws(StorageError) -> Int? {
    let found: FileStatus?
    do throws(SystemError) {
      found = try .ifThere(path)
    } catch {
      throw .path(path, errno: error.number)
    }
    guard let status = found else { return nil }
    switch status.kind {
    case .file: return status.size
    case .directory: throw .isNoStore(path, "a directory")
    case .other: throw .isNoStore(path, "not a regular file")
    }
  }

  /// The content of the path.
  ///
  /// - Parameters:
  ///   - vfs: The files of a sealed store; nil for a plain one.
  ///   - mayWrite: Whether what a loss of power has left of a checkpoint may be brought to its end.
  /// - Throws: `notFound` when there is no folder for it; `io` when it cannot be read; `corrupt` when it is not a store;
  ///   `schemaMismatch` when it is a database of another program; `schemaTooNew`; `keyRequired` for a sealed one without its
  ///   files, and what opening these throws.
  func content(_ vfs: SealedVFS? = nil, mayWrite: Bool = false) throws(StorageError) -> Content {
    guard let size = try size() else { return .missing }
    guard size > 0 else { return .empty }
    if let vfs, size == SealedDatabaseFormat.pageBytes, try isUnmade(vfs) { return .empty }
    var header = try readHeader(100, vfs)
    if let vfs, walByteCount > 0, Self.isUnknown(header) {
      header = try headerAfterCheckpoint(vfs, mayWrite: mayWrite)
    }
    guard SealedHeader.isPlain(header) else {
      if vfs == nil, SealedHeader.isHeader(header) { throw .keyRequired(path) }
      throw StorageError(.corrupt, "\(path) is not an SQLite database")
    }
    let application = header[SQLiteSchemaStore.applicationPlace].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let format = header[SQLiteSchemaStore.formatPlace].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard application == SQLiteSchemaStore.applicationID else {
      if application == 0, format == 0, try isWithoutTables(vfs) { return .empty }
      throw ofAnotherProgram(application, vfs)
    }
    guard format <= SQLiteSchemaStore.newestFormat else {
      throw StorageError(
        .schemaTooNew,
        "\(path) has format \(format), and this version knows formats up to \(SQLiteSchemaStore.newestFormat)")
    }
    guard header[56..<60].elementsEqual([0, 0, 0, 1]) else {
      throw StorageError(.corrupt, "\(path) does not store its text in UTF-8")
    }
    // SQLite takes a database that newer programs write for one that may only be read.
    guard header[18] <= 2 else {
      throw StorageError(.corrupt, "\(path) has a write version that this SQLite library does not know")
    }
    return .store(hasLog: header[18] == 2)
  }

  /// Whether the first page of a sealed store is only in the log as a whole (``SealedDatabase``).
  private static func isUnknown(_ header: [UInt8]) -> Bool { header.allSatisfy { $0 == 0 } }

  /// The first bytes of a sealed database whose first page is half written: by a process that moves the log now, or by one
  /// that lost its power meanwhile.
  private func headerAfterCheckpoint(_ vfs: SealedVFS, mayWrite: Bool) throws(StorageError) -> [UInt8] {
    if mayWrite {
      let database = try SQLiteConnection.open(path, SQLITE_OPEN_READWRITE, vfs, path)
      defer { sqlite3_close_v2(database) }
      sqlite3_busy_timeout(database, 5_000)
      // A connection finds its log with the first read.
      sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
      sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
    for _ in 0..<40 {
      let header = try readHeader(100, vfs)
      if !Self.isUnknown(header) { return header }
      usleep(5_000)
    }
    if mayWrite { throw StorageError(.corrupt, "\(path) has a damaged first page") }
    throw .notClosed(path)
  }

  /// The header page of the sealed database at the path.
  ///
  /// - Returns: Nil when there is no file, or an empty one.
  /// - Throws: `notEncrypted` for a plain database; `corrupt`, `schemaTooNew`; as ``content(_:)``.
  func sealedHeader() throws(StorageError) -> SealedHeader? {
    guard let size = try size(), size > 0 else { return nil }
    let bytes = try readHeader(SealedDatabaseFormat.pageBytes, nil)
    if SealedHeader.isPlain(bytes) { throw .notEncrypted(path) }
    return try SealedHeader(bytes, of: path)
  }

  /// Whether a plain store that is there has checksums in its pages.
  func hasChecksums() throws(StorageError) -> Bool {
    PageChecksum.areUsed(try readHeader(PageChecksum.pageBytes, nil))
  }

  /// The first bytes, read through SQLite's file, whose descriptor keeps the locks of this process.
  private func readHeader(_ count: Int, _ vfs: SealedVFS?) throws(StorageError) -> [UInt8] {
    let database = try SQLiteConnection.open(path, SQLITE_OPEN_READONLY, vfs, path)
    defer { sqlite3_close_v2(database) }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let read = file.pointee.pMethods?.pointee.xRead
    else { throw StorageError(.io, "\(path) cannot be read") }
    var header = [UInt8](repeating: 0, count: count)
    let readResult = header.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(count), 0) }
    // A file that is shorter is filled up with zeros, and is then not a database by its content.
    guard readResult == SQLITE_OK || readResult == SQLITE_IOERR | 2 << 8 else {
      throw StorageError(sqlite: readResult, nil, path)
    }
    return header
  }

  /// The error for a whole database that another program made.
  ///
  /// It says as much of the database as its tables tell. A store whose header is damaged has Quarry's tables, or pages that
  /// cannot be read.
  private func ofAnotherProgram(_ application: UInt32, _ vfs: SealedVFS?) -> StorageError {
    guard vfs == nil, let names = try? tableNames(), !names.contains(where: { $0.hasPrefix("_quarry") }) else {
      return StorageError(.corrupt, "\(path) is an SQLite database, but not a store of Quarry")
    }
    let has = { (name: String) in names.contains(name) }
    var kind = "another program"
    if has("Z_PRIMARYKEY"), has("Z_METADATA") { kind = "Core Data or SwiftData" }
    if has("grdb_migrations") { kind = "a program with GRDB" }
    let mark = application == 0 ? "" : ", application \(String(application, radix: 16, uppercase: true))"
    return StorageError(
      .schemaMismatch,
      "\(path) is an SQLite database of \(kind) (\(names.count) \(names.count == 1 ? "table" : "tables")\(mark)), and no store "
        + "of Quarry; quarry import and quarry adopt read such databases")
  }

  /// The tables of a foreign database, which stays as it is: a log next to it is not read.
  private func tableNames() throws(StorageError) -> [String] {
    let access = SQLiteFileAccess.readUnchanging
    let database = try SQLiteConnection.open(access.name(of: path), access.flags, nil, path)
    defer { sqlite3_close_v2(database) }
    let statement = try SQLiteStatement(
      database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
      isKept: false)
    var names: [String] = []
    while names.count < 10_000, try statement.step() {
      names.append(String(decoding: statement.bytes(0), as: UTF8.self))
    }
    return names
  }

  /// Whether a foreign database has no tables, so that it can become a store.
  private func isWithoutTables(_ vfs: SealedVFS?) throws(StorageError) -> Bool {
    guard walByteCount == 0, !hasJournal else { return false }
    let database = try SQLiteConnection.open(
      SQLiteFileAccess.readUnchanging.name(of: path), SQLiteFileAccess.readUnchanging.flags, vfs, path)
    defer { sqlite3_close_v2(database) }
    let statement = try SQLiteStatement(database, "SELECT count(*) FROM sqlite_schema", isKept: false)
    return try statement.step() && statement.integer(0) == 0
  }

  /// Whether a sealed database has a header page alone because it was never more, and not because it was cut.
  private func isUnmade(_ vfs: SealedVFS) throws(StorageError) -> Bool {
    let database = try SQLiteConnection.open(path, SQLITE_OPEN_READONLY, vfs, path)
    defer { sqlite3_close_v2(database) }
    return try SealedDatabase.of(database).isUnmade
  }

  /// Makes the file, empty and for its owner alone.
  ///
  /// - Throws: `notFound` when the directory is not there; `io`, `full`, `readOnly`.
  func create() throws(StorageError) {
    #if canImport(Darwin)
      let descriptor = Descriptor.open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
      let failed = descriptor < 0
      let code = errno
      if !failed { close(descriptor) }
    #else
      // Makes a file without opening it.
      let failed = mknod(path, S_IFREG | 0o600, 0) != 0
      let code = errno
    #endif
    // Another process may have made it just now.
    if failed, code != EEXIST { throw .path(path, errno: code) }
  }

  /// Removes the database and the files next to it.
  func remove() throws(StorageError) {
    let paths = [walPath, sharedMemoryPath, journalPath, replacementPath, path]
    for path in paths where unlink(path) != 0 && errno != ENOENT {
      let code = errno
      // The folder was there when the path was checked.
      throw StorageError(
        code == ENOTDIR ? .io : StorageError.Code(errno: code), "\(path) cannot be removed: \(SystemError(code))")
    }
  }
}

extension StorageError {
  /// The error for a store that must first be opened by a user that may write to it.
  static func notClosed(_ path: String) -> StorageError {
    StorageError(.io, "\(path) was not closed properly: open it once for writing, so that its log is read")
  }
}
