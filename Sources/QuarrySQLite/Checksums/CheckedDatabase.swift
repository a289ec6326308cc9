import CSQLite
import QuarryBackend

/// The file of a plain database.
///
/// Where its pages have checksums, each is checked when it is read, and written with each page; SQLite sees zeros there.
final class CheckedDatabase: VFSFile {
  private enum Use { case unknown, checked, unchecked }

  private var use = Use.unknown
  private let checksNew: Bool
  private let lockedPage: Int64
  private var ends: PageEnds
  /// Room for a page; made with the first that is written.
  private var room: UnsafeMutableRawPointer?

  private static let page = PageEnds.page

  /// The salts of the log that this connection has read or begun; 0 when there was none.
  var knownLog = LogNote.unknown
  /// Whether this connection has written which log begins, and not brought it to the disk.
  var hasUnsyncedNote = false

  /// See ``PageEnds/hasLog``.
  var hasLog: Bool {
    get { ends.hasLog }
    set { ends.hasLog = newValue }
  }

  init(_ real: UnsafeMutablePointer<sqlite3_file>, _ vfs: CheckedVFS, checksNew: Bool) {
    self.checksNew = checksNew
    ends = PageEnds(lockedPage: vfs.lockedPage)
    lockedPage = vfs.lockedPage
    super.init(real)
  }

  deinit { room?.deallocate() }

  /// The file that a connection has open.
  static func of(_ database: OpaquePointer) -> CheckedDatabase? {
    VFSFileMethods.file(of: database) as? CheckedDatabase
  }

  /// Whether pages have checksums, or will have them in a file that is empty.
  var hasChecksums: Bool {
    find()
    return use == .checked || use == .unknown && checksNew
  }

  /// Checks the first page of a file that is not empty.
  private func find() {
    guard use == .unknown else { return }
    var first = [UInt8](repeating: 0, count: PageChecksum.pageBytes)
    let result = first.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { baseRead($0, bytes.count, 0) } ?? FileResult.read
    }
    switch result {
    case SQLITE_OK: use = PageChecksum.areUsed(first) ? .checked : .unchecked
    case FileResult.shortRead:
      var size: Int64 = 0
      // Other databases may have smaller pages, and one page alone.
      if baseSize(&size) == SQLITE_OK, size > 0 { use = .unchecked }
    default: break
    }
  }

  override func locked() { ends.forget() }

  // MARK: Reading

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if use == .unknown { find() }
    let result = baseRead(target, count, offset)
    guard use == .checked else { return result }
    if result == FileResult.shortRead { return ends.missing(offset / Self.page) { baseSize(&$0) } }
    // Less than a page are numbers in the header, which SQLite reads with its page before it trusts them.
    guard result == SQLITE_OK, count >= 512 else {
      if offset == 0 { PageChecksum.showWriters(target, count) }
      return result
    }
    guard count == PageChecksum.pageBytes, offset % Self.page == 0, isRight(target, offset / Self.page) else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return FileResult.damaged
    }
    SealedFile.clearReserved(target)
    if offset == 0 { PageChecksum.showWriters(target, count) }
    return SQLITE_OK
  }

  /// Whether a page that was read is what was written. The end of the first one is written in its place when a log begins,
  /// and may be half written: it is read again.
  private func isRight(_ target: UnsafeMutableRawPointer, _ number: Int64) -> Bool {
    for attempt in 0..<4 {
      if PageChecksum.verdict(target, number: number) != .wrong { return true }
      guard number == 0, attempt < 3, baseRead(target, PageChecksum.pageBytes, 0) == SQLITE_OK else { break }
    }
    return false
  }

  /// The defect of a page in the file. SQLite itself checks only pages in use.
  ///
  /// - Returns: Nil where the file has no such page.
  func verdict(_ number: Int64) throws(StorageError) -> PageChecksum.Verdict? {
    if number == lockedPage { return .right }
    let room = makeRoom()
    // A page may be written while it is read here, where the log has a newer one.
    for _ in 0..<4 {
      let result = baseRead(room, PageChecksum.pageBytes, number * Self.page)
      if result == FileResult.shortRead { return nil }
      guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, "page \(number + 1)") }
      let verdict = PageChecksum.verdict(room, number: number)
      if verdict != .wrong { return verdict }
    }
    return .wrong
  }

  // MARK: Writing

  private func makeRoom() -> UnsafeMutableRawPointer {
    if let room { return room }
    let made = UnsafeMutableRawPointer.allocate(byteCount: PageChecksum.pageBytes, alignment: 64)
    room = made
    return made
  }

  override func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if use == .unknown {
      find()
      if use == .unknown { use = checksNew ? .checked : .unchecked }
    }
    guard use == .checked else { return baseWrite(source, count, offset) }
    guard count == PageChecksum.pageBytes, offset % Self.page == 0 else { return FileResult.write }
    var result = fill(to: offset)
    guard result == SQLITE_OK else { return result }
    result = writePage(source, offset / Self.page)
    if result == SQLITE_OK { ends.wrote(to: offset + Self.page) }
    return result
  }

  override func truncate(_ size: Int64) -> Int32 {
    ends.truncated(to: size)
    return baseTruncate(size)
  }

  private func writePage(_ source: UnsafeRawPointer, _ number: Int64) -> Int32 {
    let room = makeRoom()
    if source != UnsafeRawPointer(room) { room.copyMemory(from: source, byteCount: PageChecksum.pageBytes) }
    PageChecksum.put(into: room, number: number, log: number == 0 ? noteToKeep(in: room) : 0)
    return baseWrite(room, PageChecksum.pageBytes, number * Self.page)
  }

  private func fill(to end: Int64) -> Int32 {
    ends.fill(to: end) {
      baseSize(&$0)
    } writeZeros: { number in
      let room = makeRoom()
      room.initializeMemory(as: UInt8.self, repeating: 0, count: PageChecksum.pageBytes)
      return writePage(room, number)
    }
  }

  // MARK: File controls

  override func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    switch operation {
    // The file grows by nothing but pages with checksums, and is not mapped.
    case SQLITE_FCNTL_SIZE_HINT where use == .checked, SQLITE_FCNTL_CHUNK_SIZE where use == .checked: SQLITE_OK
    case SQLITE_FCNTL_MMAP_SIZE: SQLITE_NOTFOUND
    default: super.control(operation, argument)
    }
  }
}
