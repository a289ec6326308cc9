import CSQLite
import QuarryBackend

/// The file of a sealed database: a header page, then SQLite's pages, each sealed and bound to its number.
final class SealedDatabase: SealedFile {
  /// Whether this connection has opened the log: its pages then come from there, one after the other.
  var hasLog = false
  /// The end of SQLite's pages as far as this connection knows it; 0 when others may have changed it.
  private var knownEnd: Int64 = 0
  private let lockedPage: Int64
  private let logPath: String

  /// - Parameter path: The path of the database.
  init(_ real: UnsafeMutablePointer<sqlite3_file>, _ vfs: SealedVFS, _ keys: SealedKeys, path: String) {
    lockedPage = vfs.lockedPage
    logPath = SQLiteFile.logPath(of: path)
    super.init(real, vfs, keys)
  }

  private static let page = Int64(SealedFormat.pageBytes)

  override func locked() { knownEnd = 0 }

  override func size(_ size: inout Int64) -> Int32 {
    let result = baseSize(&size)
    size = max(0, size - Self.page)
    return result
  }

  // MARK: Reading

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let within = Int(offset % Self.page)
    if within == 0, count == SealedFormat.pageBytes { return readPage(offset / Self.page, into: target) }
    guard within + count <= SealedFormat.pageBytes else { return FileResult.read }
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
    let result = baseRead(target, SealedFormat.pageBytes, (number + 1) * Self.page)
    guard result == SQLITE_OK else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: SealedFormat.pageBytes)
      return result == FileResult.shortRead ? missing(number) : result
    }
    guard open(target, SealedFormat.contentBytes, trailer: target + SealedFormat.contentBytes, .page, UInt64(number))
    else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: SealedFormat.pageBytes)
      return FileResult.damaged
    }
    Self.clearReserved(target)
    return SQLITE_OK
  }

  /// The result for a page that the file has not. SQLite takes it for zeros, and asks for none but the first one of an
  /// empty database: any other was cut off.
  private func missing(_ number: Int64) -> Int32 {
    var size: Int64 = 0
    let result = self.size(&size)
    guard result == SQLITE_OK else { return result }
    return size == 0 || number == lockedPage ? FileResult.shortRead : FileResult.damaged
  }

  /// Whether the page in the file is authentic, which SQLite looks at for pages in use alone.
  ///
  /// - Returns: Nil where the file has no such page.
  func isAuthentic(_ number: Int64) throws(StorageError) -> Bool? {
    // A page may be written while it is read here, where the log has a newer one.
    for _ in 0..<4 {
      let result = baseRead(room, SealedFormat.pageBytes, (number + 1) * Self.page)
      if result == FileResult.shortRead { return nil }
      guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, "page \(number + 1)") }
      if open(room, SealedFormat.contentBytes, trailer: room + SealedFormat.contentBytes, .page, UInt64(number)) {
        return true
      }
    }
    return false
  }

  // MARK: Writing

  override func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    guard count == SealedFormat.pageBytes, offset % Self.page == 0, Self.isReservedClear(source) else {
      return FileResult.write
    }
    var result = fill(to: offset)
    guard result == SQLITE_OK else { return result }
    result = writePage(source, offset / Self.page)
    if result == SQLITE_OK { knownEnd = max(knownEnd, offset + Self.page) }
    return result
  }

  override func truncate(_ size: Int64) -> Int32 {
    let result = fill(to: size)
    guard result == SQLITE_OK else { return result }
    knownEnd = min(knownEnd, size)
    return baseTruncate(size + Self.page)
  }

  private func writePage(_ source: UnsafeRawPointer, _ number: Int64) -> Int32 {
    guard
      seal(
        source, SealedFormat.contentBytes, into: room, trailer: room + SealedFormat.contentBytes, .page,
        UInt64(number))
    else { return FileResult.write }
    return baseWrite(room, SealedFormat.pageBytes, (number + 1) * Self.page)
  }

  /// Writes sealed zeros where a write would leave a gap, so that no page is taken without its tag.
  ///
  /// A log has every page but that of SQLite's locks. Another one that is missing while pages come from the log was cut
  /// off, and must not become authentic zeros.
  private func fill(to end: Int64) -> Int32 {
    guard end > knownEnd else { return SQLITE_OK }
    let result = size(&knownEnd)
    guard result == SQLITE_OK else { return result }
    while knownEnd < end {
      let number = knownEnd / Self.page
      guard knownEnd % Self.page == 0, !hasLog || number == lockedPage else { return FileResult.damaged }
      room.initializeMemory(as: UInt8.self, repeating: 0, count: SealedFormat.pageBytes)
      let result = writePage(room, number)
      guard result == SQLITE_OK else { return result }
      knownEnd += Self.page
    }
    return SQLITE_OK
  }

  // MARK: What the file is told

  override func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    switch operation {
    // The file grows by nothing but sealed pages, and is not mapped.
    case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: SQLITE_OK
    case SQLITE_FCNTL_MMAP_SIZE: SQLITE_NOTFOUND
    default: super.control(operation, argument)
    }
  }
}
