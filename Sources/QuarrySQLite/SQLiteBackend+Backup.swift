import CSQLite
import QuarryBackend
import QuarrySystem

extension SQLiteBackend: BackupBackend {
  /// The pages that are copied between two checks for cancellation.
  private static let pagesAtOnce: Int32 = 1024

  func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    guard !isClosed else { throw .storeClosed }
    let files = SystemFileSystem()
    let destination = try BackupDestination(
      path, own: file.path, endings: SQLiteFile.endings, logs: SQLiteFile.logEndings,
      longestPath: SQLiteFile.longestPath, files)
    if let error = StorageError.unusablePath(destination.partialPath, limit: SQLiteFile.longestPath) { throw error }
    try files.requireRoom(for: destination.partialPath, about: .max) { () throws(StorageError) in
      try pagesInCopy()
    }
    let copy = try destination.create()
    do throws(StorageError) {
      try write(to: destination.partialPath, progress)
      try copy.sync()
      let size = try copy.status().size
      guard progress(size, size) else { throw .backupCancelled }
      try destination.place()
    } catch {
      for ending in [""] + SQLiteFile.endings { try? files.remove(destination.partialPath + ending) }
      throw error
    }
  }

  /// Bytes of the pages of the newest state, free ones too, each of which a copy has.
  private func pagesInCopy() throws(StorageError) -> Int {
    let (connection, models, version) = try beginOnReader()
    let transaction = SQLiteReadTransaction(self, connection, models, base: version)
    defer { transaction.end() }
    return try connection.pageBytes()
  }

  /// Copies page by page the state of one read transaction, which no writer changes, so that SQLite never begins again.
  ///
  /// The header is copied with the pages: the store's creator, its format, and that it has a log.
  private func write(to path: String, _ progress: BackupProgress) throws(StorageError) {
    let (source, models, version) = try beginOnReader()
    let transaction = SQLiteReadTransaction(self, source, models, base: version)
    defer { transaction.end() }
    let copy = try vfs.map { vfs throws(StorageError) in try vfs.forCopy(of: try .of(source.database), file.path) }
    let target = try SQLiteConnection(
      SQLiteConnection.Options(
        path: path, access: .readWrite, durability: .none, cacheBytes: 1 << 20, statements: 4, busyMilliseconds: 0,
        vfs: copy, checksNew: CheckedDatabase.of(source.database)?.hasChecksums ?? false))
    defer { target.close() }
    // A copy that is not whole is thrown away, and one that is whole is synced before it gets its name.
    try target.run("PRAGMA synchronous = OFF")
    _ = try target.integer("PRAGMA cache_size = -1024")
    let pageSize = Int(try source.integer("PRAGMA page_size") ?? 4096)
    guard let backup = sqlite3_backup_init(target.database, "main", source.database, "main") else {
      throw StorageError(sqlite: sqlite3_errcode(target.database), target.database, "the backup to \(path)")
    }
    var result = SQLITE_OK
    var goesOn = true
    while result == SQLITE_OK, goesOn {
      result = sqlite3_backup_step(backup, Self.pagesAtOnce)
      let (left, all) = (Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
      if result == SQLITE_OK { goesOn = progress((all - left) * pageSize, all * pageSize) }
    }
    let finished = sqlite3_backup_finish(backup)
    guard goesOn else { throw .backupCancelled }
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      throw StorageError(
        sqlite: finished == SQLITE_OK ? result : finished, target.database, "the backup to \(path)")
    }
  }
}
