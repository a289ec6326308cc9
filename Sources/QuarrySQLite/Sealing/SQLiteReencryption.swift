import CSQLite
import QuarryBackend
import QuarrySystem

/// Rewrites a database, page by page: sealed, with another data key, or plain.
///
/// One connection has exclusive access to the old database, moves its log into it, and keeps the lock until the new one has its
/// place. A connection that waits for that lock finds that the file was moved (``SQLiteConnection/requireInPlace()``), and begins
/// again.
struct SQLiteReencryption {
  /// The last completed step.
  enum Step: CaseIterable { case locked, written, named, logRemoved, placed }

  private let file: SQLiteFile
  /// Called after each step, for tests of what a process leaves that is killed there.
  var after: (Step) -> Void = { _ in }

  /// - Parameter file: The database; links in its path are followed.
  init(_ file: SQLiteFile) throws(StorageError) {
    self.file = try SQLiteFile(SystemFileSystem().resolve(file.path))
  }

  /// - Parameters:
  ///   - old: The files of the store as it is; nil for a plain one.
  ///   - new: The keys that it gets; nil for none.
  ///   - hasChecksums: Whether the pages of a plain one get checksums.
  /// - Throws: `inUse` when it is open anywhere; `unsupported` for a file with other names; `readOnly`, `corrupt`, `full`, `io`;
  ///   the store is then as it was.
  func run(from old: SealedVFS?, to new: SealedKeys?, hasChecksums: Bool = false) throws(StorageError) {
    let connection = try SQLiteConnection(
      SQLiteConnection.Options(
        path: file.path, access: .readWrite, durability: .powerLoss, cacheBytes: 1 << 20, statements: 4,
        busyMilliseconds: 0, vfs: old))
    defer { connection.close() }
    try lock(connection)
    after(.locked)
    try SystemFileSystem().requireRoom(for: file.path, about: .max) { () throws(StorageError) in
      try connection.pageBytes()
    }
    let replacement = try SQLiteReplacement(for: file)
    try write(from: connection, new, hasChecksums: hasChecksums && new == nil, to: replacement)
    after(.written)
    try replacement.name()
    after(.named)
    // From here on the connection does not touch files with its names: they will belong to the new database.
    connection.detachFromFiles()
    let files = SystemFileSystem()
    for path in [file.walPath, file.sharedMemoryPath] { try files.remove(path) }
    after(.logRemoved)
    try replacement.place()
    after(.placed)
  }

  /// Locks the database for this connection alone, and moves its log into it.
  private func lock(_ connection: SQLiteConnection) throws(StorageError) {
    guard sqlite3_db_readonly(connection.database, "main") == 0 else {
      throw StorageError(.readOnly, "\(file.path) cannot be written to")
    }
    do throws(StorageError) {
      try connection.run("PRAGMA synchronous = FULL")
      // The lock is kept from the first transaction on.
      try connection.run("PRAGMA locking_mode = EXCLUSIVE")
      try connection.run("BEGIN EXCLUSIVE")
      try connection.run("COMMIT")
    } catch {
      throw error.code == .busy ? .inUse(by: nil, "\(file.path) is open elsewhere") : error
    }
    try connection.requireInPlace()
    if let status = try? FileStatus(at: file.path), status.links != 1 {
      throw .unsupported(.openEncryption, "\(file.path) has other names, which would be left with the old content")
    }
    guard connection.emptyLog(), file.walByteCount == 0 else {
      throw StorageError(.io, "\(file.path) did not copy its log into the file")
    }
  }

  private func write(
    from connection: SQLiteConnection, _ new: SealedKeys?, hasChecksums: Bool, to replacement: SQLiteReplacement
  ) throws(StorageError) {
    var reserved: Int32 = -1
    sqlite3_file_control(connection.database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
    guard pageBytes == SealedDatabaseFormat.pageBytes, reserved == SealedDatabaseFormat.reservedBytes else {
      throw StorageError(
        .unsupported,
        "\(file.path) has pages of \(pageBytes) bytes with \(reserved) to spare, which have no room for seals or checksums: copy it"
      )
    }
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection.database, "main", SQLITE_FCNTL_FILE_POINTER, &pointer) == SQLITE_OK,
      let pointer, let read = pointer.pointee.pMethods?.pointee.xRead
    else { throw StorageError(.io, "\(file.path) cannot be read") }
    if let new { try replacement.append(try new.newHeader(isWhole: true)) }
    var page = [UInt8](repeating: 0, count: SealedDatabaseFormat.pageBytes)
    for number in 0..<pages {
      let result = page.withUnsafeMutableBytes {
        read(pointer, $0.baseAddress, Int32($0.count), number * Int64(SealedDatabaseFormat.pageBytes))
      }
      // The page of SQLite's locks is never written, and may be the last one.
      guard result == SQLITE_OK || result == FileResult.shortRead else {
        throw StorageError(sqlite: result, nil, file.path)
      }
      if number == 0 {
        let format = SQLiteSchemaStore.format(hasChecksums: hasChecksums).bigEndian
        page.replaceSubrange(SQLiteSchemaStore.formatPlace, with: withUnsafeBytes(of: format) { Array($0) })
      }
      if let new {
        try replacement.append(try new.seal(page, number: UInt64(number)))
      } else {
        try replacement.append(hasChecksums ? PageChecksum.sealed(page, from: number) : page)
      }
    }
  }
}
