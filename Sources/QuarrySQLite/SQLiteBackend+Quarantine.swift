import CSQLite
import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SQLiteBackend: QuarantiningBackend {
  /// Moves the log into the database, so that the file is all there is, and gives that another name.
  ///
  /// Taking the log away needs the database for one connection alone, which SQLite refuses while any other has it open, in this
  /// process too. That connection keeps the lock until the file has its name. A connection that waits for the lock finds that the
  /// file was moved (``SQLiteConnection/requireInPlace()``), and begins again.
  ///
  /// - Throws: `inUse` when it is open elsewhere, and when it was put aside elsewhere after it was closed here: the file with the
  ///   name is then a new store, and stays.
  func quarantine() throws(StorageError) -> String {
    guard !isClosed else { throw .storeClosed }
    guard !isReadOnly else { throw .openedForReading }
    if SystemPath.isLink(file.given) { throw .isLink(file.given) }
    let identity = try identityInPlace()
    try close()
    do throws(StorageError) {
      return try putAside(identity)
    } catch {
      guard (try? FileStatus.ifThere(file.path))?.identity == identity else { throw Self.putAside(file.path) }
      throw error
    }
  }

  /// The file's identity, while it is open and at its path.
  private func identityInPlace() throws(StorageError) -> FileIdentity {
    do throws(StorageError) {
      let connection = try pool.take()
      defer { pool.give(connection) }
      try connection.requireInPlace()
    } catch {
      throw error.isOfMovedFile(at: file.path) ? Self.putAside(file.path) : error
    }
    guard let status = try SystemFileSystem().status(of: file.path) else { throw Self.putAside(file.path) }
    return status.identity
  }

  private static func putAside(_ path: String) -> StorageError { .inUse(by: nil, "\(path) was put aside elsewhere") }

  private func putAside(_ identity: FileIdentity) throws(StorageError) -> String {
    let connection = try SQLiteConnection(
      SQLiteConnection.Options(
        path: file.path, access: .readWrite, durability: .powerLoss, cacheBytes: 1 << 20, statements: 4,
        busyMilliseconds: 0, vfs: vfs))
    defer { connection.close() }
    do throws(StorageError) {
      try connection.run("PRAGMA synchronous = FULL")
      try connection.run("PRAGMA locking_mode = EXCLUSIVE")
      // It changes a few bytes of one page: there is no journal that would have to be moved with the file.
      let statement = try SQLiteStatement(connection.database, "PRAGMA journal_mode = MEMORY", isKept: false)
      guard try statement.step(), statement.bytes(0).elementsEqual("memory".utf8) else {
        throw StorageError(.busy, "the log is in use")
      }
    } catch {
      throw error.code == .busy ? .inUse(by: nil, "\(file.path) is open elsewhere") : error
    }
    try connection.requireInPlace()
    guard try SystemFileSystem().status(of: file.path)?.identity == identity else { throw Self.putAside(file.path) }
    guard file.walByteCount == 0 else { throw StorageError(.io, "\(file.path) did not copy its log into the file") }
    let files = SystemFileSystem()
    let place = try file.freeQuarantineName()
    try files.rename(file.path, to: place)
    try? files.syncDirectory(of: place)
    return place
  }
}

/// The file that a connection has opened got another name before it was locked.
struct SQLiteFileMoved: Error {}

extension StorageError {
  /// Whether the file at the path was moved while it was opened: before SQLite had it open, or after. Another file may have
  /// its name by now.
  func isOfMovedFile(at path: String) -> Bool {
    if cause is SQLiteFileMoved { return true }
    guard let error = cause as? SQLiteError else { return false }
    if error.code == FileResult.moved { return true }
    guard error.code & 0xFF == SQLITE_CANTOPEN else { return false }
    return error.systemError == ENOENT || (try? FileStatus.ifThere(path)) == .some(.none)
  }
}

extension SQLiteConnection {
  /// - Throws: `io` with ``SQLiteFileMoved`` when the file that is open is not the one at its path.
  func requireInPlace() throws(StorageError) {
    if VFSFileMethods.file(of: database)?.hasMoved == true {
      throw StorageError(.io, "the database was moved while it was opened", cause: SQLiteFileMoved())
    }
  }
}
