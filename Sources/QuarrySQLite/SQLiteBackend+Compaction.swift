import QuarryBackend
import QuarrySystem

extension SQLiteBackend: CompactingBackend {
  /// Rewrites the whole database, without free pages, in one transaction of SQLite (`VACUUM`).
  ///
  /// It takes its turn with writers of this process and others, `busy` when they hold it for longer than the timeout. Readers
  /// continue, and snapshots keep their state: the new pages are in the log. The file itself becomes shorter when the log is
  /// moved into it, which is now, or as soon as there are no readers.
  func compact() throws(StorageError) {
    guard !isClosed else { throw .storeClosed }
    guard !isReadOnly else { throw .openedForReading }
    try writer.take(busyTimeout)
    defer {
      writer.give()
      emptyLargeLog()
    }
    let connection = try pool.take()
    defer { pool.give(connection) }
    try connection.requireInPlace(at: file.path)
    // The new pages go to the log, over what is in it already.
    try SystemFileSystem().requireRoom(
      for: file.walPath, about: try connection.pageBytes(), reusing: file.walByteCount
    ) { () throws(StorageError) in try connection.payloadBytes() }
    try connection.run("VACUUM")
    hasLargeLog.store(true, ordering: .relaxed)
  }
}
