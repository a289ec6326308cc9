import CSQLite
import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Foreign logs next to the database.
extension SQLiteFile {
  /// - Throws: `corrupt` where something that is no file has a name of SQLite's next to the database.
  func requireOrdinaryLogs() throws(StorageError) {
    for ending in Self.endings { _ = try OwnFile.isThere(path + ending) }
  }

  /// Whether the log next to the database belongs to another database, or to another state of it.
  func hasForeignLog(_ vfs: SealedVFS?) throws(StorageError) -> Bool {
    // A process may begin a log between two looks, but not again and again.
    for _ in 0..<3 {
      // The log first: what the database says is there before the log is.
      guard let header = try logHeader() else { return false }
      guard try SQLiteRawFile(path, writes: false, vfs).verdict(ofLog: header.salts) == .foreign else { return false }
      if try logHeader()?.salts == header.salts { return true }
    }
    return false
  }

  /// The header of the log; nil where there is no log with anything in it, as one whose first frame is of the log before.
  ///
  /// SQLite locks nothing of the log, so that a descriptor of our own takes no locks away.
  private func logHeader() throws(StorageError) -> LogHeader? {
    guard try OwnFile.size(walPath) > LogHeader.byteCount, let log = try SystemFileSystem().open(walPath, .read)
    else { return nil }
    let count = LogHeader.byteCount + SealedDatabaseFormat.frameHeaderBytes
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { bytes.deallocate() }
    guard try log.read(into: bytes, at: 0) == count, let header = LogHeader(UnsafeRawBufferPointer(bytes)),
      header.salts == LogHeader.saltsOfFirstFrame(UnsafeRawBufferPointer(bytes))
    else { return nil }
    return header
  }

  /// Puts aside a log that is not the database's, while the database is not open anywhere.
  ///
  /// - Parameter timeout: Seconds to wait for other users that have it open: they may be doing the same.
  /// - Returns: Nil where there is no such log.
  /// - Throws: `inUse`, `io`.
  func putForeignLogAside(
    _ vfs: SealedVFS?, _ timeout: Double
  ) throws(StorageError) -> OpeningReport.ForeignLog? {
    let end = Deadline(after: timeout)
    while try hasForeignLog(vfs) {
      let found = try withLockedFile(vfs) { () throws(StorageError) in
        // Another process may have done it, and have a log of its own there now.
        try hasForeignLog(vfs) ? try putLogsAside(as: freeQuarantineName()) : nil
      }
      if let found { return found }
      guard !end.hasPassed else {
        throw .inUse(
          by: nil, "\(walPath) is the log of another database, and \(path) is open elsewhere: nothing was changed")
      }
      usleep(5_000)
    }
    return nil
  }

  /// - Returns: Nil where the database is open, or it was moved.
  func withLockedFile<R>(
    _ vfs: SealedVFS?, _ body: () throws(StorageError) -> R?
  ) throws(StorageError) -> R? {
    let file = try SQLiteRawFile(path, writes: true, vfs)
    // It is closed, and with that the lock is released, at the end alone.
    defer { withExtendedLifetime(file) {} }
    guard file.lock(), file.isInPlace else { return nil }
    return try body()
  }

  /// Renames logs without a database: SQLite deletes them when it creates a database there.
  ///
  /// They may be the logs of a store that was created since the path was checked. The lock of an empty database, which is created
  /// here where there is none, keeps that from happening while they are renamed.
  ///
  /// - Parameter timeout: Seconds to wait for other users that have the empty database open: they may be doing the same.
  /// - Returns: Nil where there are no logs, or a store by now.
  /// - Throws: `inUse`, `io`.
  func putAbandonedLogsAside(_ timeout: Double) throws(StorageError) -> OpeningReport.ForeignLog? {
    let end = Deadline(after: timeout)
    while try hasLogs(), databaseByteCount == 0 {
      try create()
      let found = try withLockedFile(nil) { () throws(StorageError) in
        databaseByteCount == 0 ? try putLogsAside(as: freeQuarantineName()) : nil
      }
      if let found { return found }
      guard !end.hasPassed else {
        throw .inUse(by: nil, "\(path) is empty and open elsewhere, and next to it is a log of another database")
      }
      usleep(5_000)
    }
    return nil
  }

  private func hasLogs() throws(StorageError) -> Bool {
    for ending in Self.logEndings where try OwnFile.size(path + ending) > 0 { return true }
    return false
  }

  /// Renames logs next to the database to the names of another database's logs.
  ///
  /// - Parameter place: The path of that.
  /// - Returns: The first of them.
  func putLogsAside(as place: String) throws(StorageError) -> OpeningReport.ForeignLog? {
    let files = SystemFileSystem()
    var found: OpeningReport.ForeignLog?
    for ending in Self.logEndings {
      let bytes = try OwnFile.size(path + ending)
      guard bytes > 0 else { continue }
      try files.rename(path + ending, to: place + ending)
      found = found ?? OpeningReport.ForeignLog(path: path + ending, bytes: bytes, movedTo: place + ending)
    }
    // The index is of the log that was there.
    if found != nil { try files.remove(sharedMemoryPath) }
    try files.syncDirectory(of: place)
    return found
  }

  /// The path of a store that is put aside, which nothing has, nor a log of it.
  func freeQuarantineName() throws(StorageError) -> String {
    try QuarantineName.free(for: path) { name throws(StorageError) in
      for ending in [""] + Self.endings where try SystemFileSystem().status(of: name + ending) != nil { return true }
      return false
    }
  }
}
