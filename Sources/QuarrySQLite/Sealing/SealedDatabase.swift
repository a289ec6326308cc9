import CSQLite
import QuarryBackend

/// The file of a sealed database: a header page, then SQLite's pages, each sealed and bound to its number.
final class SealedDatabase: SealedFile {
  private var ends: PageEnds
  private let logPath: String

  /// - Parameter path: The path of the database.
  init(_ real: UnsafeMutablePointer<sqlite3_file>, _ vfs: SealedVFS, _ keys: SealedKeys, path: String) {
    ends = PageEnds(lockedPage: vfs.lockedPage)
    logPath = SQLiteFile.logPath(of: path)
    super.init(real, vfs, keys)
  }

  private static let page = PageEnds.page

  /// See ``PageEnds/hasLog``.
  var hasLog: Bool {
    get { ends.hasLog }
    set { ends.hasLog = newValue }
  }

  override func locked() { ends.forget() }

  override func size(_ size: inout Int64) -> Int32 {
    let result = baseSize(&size)
    size = max(0, size - Self.page)
    return result
  }

  // MARK: Reading

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let within = Int(offset % Self.page)
    if within == 0, count == SealedDatabaseFormat.pageBytes { return readPage(offset / Self.page, into: target) }
    guard within + count <= SealedDatabaseFormat.pageBytes else { return FileResult.read }
    let result = readPage(offset / Self.page, into: room)
    target.copyMemory(from: room + within, byteCount: count)
    // SQLite reads its header before it knows of the log. A checkpoint that is under way, or was when the power went, leaves
    // half of the first page: the log has all of it, and is asked for it next. Zeros say that nothing is known yet.
    if result == FileResult.damaged, offset == 0, !hasLog, SQLiteFile.size(logPath) > 0 {
      return FileResult.shortRead
    }
    return result
  }

  /// Reads a page and opens it.
  private func readPage(_ number: Int64, into target: UnsafeMutableRawPointer) -> Int32 {
    let result = baseRead(target, SealedDatabaseFormat.pageBytes, (number + 1) * Self.page)
    guard result == SQLITE_OK else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: SealedDatabaseFormat.pageBytes)
      return result == FileResult.shortRead ? ends.missing(number) { size(&$0) } : result
    }
    guard
      open(
        target, SealedDatabaseFormat.contentBytes, trailer: target + SealedDatabaseFormat.contentBytes, .page,
        UInt64(number))
    else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: SealedDatabaseFormat.pageBytes)
      return FileResult.damaged
    }
    Self.clearReserved(target)
    return SQLITE_OK
  }

  /// Whether the page in the file is authentic. SQLite itself reads only pages in use.
  ///
  /// - Returns: Nil where the file has no such page.
  func isAuthentic(_ number: Int64) throws(StorageError) -> Bool? {
    // A page may be written while it is read here, where the log has a newer one.
    for _ in 0..<4 {
      let result = baseRead(room, SealedDatabaseFormat.pageBytes, (number + 1) * Self.page)
      if result == FileResult.shortRead { return nil }
      guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, "page \(number + 1)") }
      if open(
        room, SealedDatabaseFormat.contentBytes, trailer: room + SealedDatabaseFormat.contentBytes, .page,
        UInt64(number))
      {
        return true
      }
    }
    return false
  }

  // MARK: Writing

  override func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    guard count == SealedDatabaseFormat.pageBytes, offset % Self.page == 0, Self.isReservedClear(source) else {
      return FileResult.write
    }
    var result = fill(to: offset)
    guard result == SQLITE_OK else { return result }
    result = writePage(source, offset / Self.page)
    if result == SQLITE_OK { ends.wrote(to: offset + Self.page) }
    return result
  }

  override func truncate(_ size: Int64) -> Int32 {
    let result = fill(to: size)
    guard result == SQLITE_OK else { return result }
    ends.truncated(to: size)
    return baseTruncate(size + Self.page)
  }

  private func writePage(_ source: UnsafeRawPointer, _ number: Int64) -> Int32 {
    guard
      seal(
        source, SealedDatabaseFormat.contentBytes, into: room, trailer: room + SealedDatabaseFormat.contentBytes, .page,
        UInt64(number))
    else { return FileResult.write }
    return baseWrite(room, SealedDatabaseFormat.pageBytes, (number + 1) * Self.page)
  }

  private func fill(to end: Int64) -> Int32 {
    ends.fill(to: end) {
      size(&$0)
    } writeZeros: { number in
      room.initializeMemory(as: UInt8.self, repeating: 0, count: SealedDatabaseFormat.pageBytes)
      return writePage(room, number)
    }
  }

  // MARK: File controls

  override func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    switch operation {
    // The file grows by nothing but sealed pages, and is not mapped.
    case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: SQLITE_OK
    case SQLITE_FCNTL_MMAP_SIZE: SQLITE_NOTFOUND
    default: super.control(operation, argument)
    }
  }
}
