import CSQLite

/// The log of a plain database: as SQLite writes and reads it, but for a log that is not the database's, which SQLite is
/// shown as none.
final class CheckedLog: VFSFile {
  /// The database, which SQLite closes after its log.
  private unowned(unsafe) let database: CheckedDatabase

  init(_ real: UnsafeMutablePointer<sqlite3_file>, of database: CheckedDatabase) {
    self.database = database
    super.init(real)
    database.hasLog = true
  }

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let result = baseRead(target, count, offset)
    guard offset == 0, count == LogHeader.byteCount, result == SQLITE_OK else { return result }
    let header = UnsafeRawBufferPointer(start: target, count: count)
    switch database.verdict(ofLog: LogHeader.salts(header)) {
    case .own:
      database.knownLog = LogHeader.salts(header)
      return result
    case .old, .foreign:
      target.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return result
    case .damaged: return FileResult.damaged
    }
  }

  override func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if offset == 0, count == LogHeader.byteCount {
      let result = database.note(log: LogHeader.salts(UnsafeRawBufferPointer(start: source, count: count)))
      guard result == SQLITE_OK else { return result }
    }
    return baseWrite(source, count, offset)
  }

  /// SQLite syncs the header of a log before it writes what follows, unless it syncs nothing.
  override func sync(_ flags: Int32) -> Int32 {
    let result = database.syncNote(flags)
    return result == SQLITE_OK ? baseSync(flags) : result
  }
}
