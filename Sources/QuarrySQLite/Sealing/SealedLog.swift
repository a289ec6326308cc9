import CSQLite

/// The write-ahead log of a sealed database.
///
/// Of a frame the page number, the size after a commit and the two salts are in the clear, and bound to it with its place.
/// SQLite's checksum is over what the page is in the clear, and so is sealed together with the page. The log's header has
/// nothing of the content; which log belongs to the database stands in the database's header.
final class SealedLog: SealedFile {
  /// The database, which SQLite closes after its log.
  private unowned(unsafe) let database: SealedDatabase
  /// A frame's header that waits for its page, and its place.
  private let waiting: UnsafeMutableRawPointer
  private var waitingPlace: Int64 = -1
  /// The place of the frame that `room` has opened, as SQLite has just read it whole.
  private var openedPlace: Int64 = -1

  init(
    _ real: UnsafeMutablePointer<sqlite3_file>, _ vfs: SealedVFS, _ keys: SealedKeys, of database: SealedDatabase
  ) {
    self.database = database
    waiting = .allocate(byteCount: SealedDatabaseFormat.frameHeaderBytes, alignment: 8)
    super.init(real, vfs, keys)
    database.hasLog = true
  }

  deinit {
    waiting.deallocate()
  }

  private static let header = Int64(SealedDatabaseFormat.logHeaderBytes)
  private static let frame = Int64(SealedDatabaseFormat.frameBytes)

  /// The place of the frame that an offset is in, and how far into it that is.
  private static func place(of offset: Int64) -> (place: Int64, within: Int) {
    let within = (offset - header) % frame
    return (offset - within, Int(within))
  }

  // MARK: Frames

  /// The numbers that, with its place, the header of a frame in `room` is bound by.
  @inline(__always)
  private func clearNumbers() -> (UInt64, UInt64) {
    (
      UInt64(littleEndian: room.loadUnaligned(as: UInt64.self)),
      UInt64(littleEndian: room.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  /// Checksum and page, which are sealed as one.
  private static let sealedBytes =
    SealedDatabaseFormat.frameHeaderBytes - SealedDatabaseFormat.clearFrameBytes + SealedDatabaseFormat.contentBytes
  private static let trailerPlace = SealedDatabaseFormat.frameHeaderBytes + SealedDatabaseFormat.contentBytes

  /// Seals the frame in `room` and writes it.
  private func writeFrame(_ place: Int64) -> Int32 {
    openedPlace = -1
    let (first, second) = clearNumbers()
    let content = room + SealedDatabaseFormat.clearFrameBytes
    guard
      seal(
        content, Self.sealedBytes, into: content, trailer: room + Self.trailerPlace, .frame, first, second,
        UInt64(place))
    else { return FileResult.write }
    return baseWrite(room, SealedDatabaseFormat.frameBytes, place)
  }

  /// Reads a frame into `room` and opens it.
  private func readFrame(_ place: Int64) -> (result: Int32, isAuthentic: Bool) {
    openedPlace = -1
    let result = baseRead(room, SealedDatabaseFormat.frameBytes, place)
    guard result == SQLITE_OK else { return (result, false) }
    let (first, second) = clearNumbers()
    let isAuthentic = open(
      room + SealedDatabaseFormat.clearFrameBytes, Self.sealedBytes, trailer: room + Self.trailerPlace, .frame, first,
      second,
      UInt64(place))
    Self.clearReserved(room + SealedDatabaseFormat.frameHeaderBytes)
    return (SQLITE_OK, isAuthentic)
  }

  /// Writes a header that still waits: it is a new checksum of the page that is there.
  private func writeWaiting() -> Int32 {
    guard waitingPlace >= 0 else { return SQLITE_OK }
    let place = waitingPlace
    waitingPlace = -1
    let (result, isAuthentic) = readFrame(place)
    guard result == SQLITE_OK, isAuthentic else { return FileResult.write }
    room.copyMemory(from: waiting, byteCount: SealedDatabaseFormat.frameHeaderBytes)
    return writeFrame(place)
  }

  // MARK: Reading

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let written = writeWaiting()
    guard written == SQLITE_OK else { return written }
    if offset < Self.header { return readHeader(target, count, offset) }
    let (place, within) = Self.place(of: offset)
    guard within + count <= SealedDatabaseFormat.frameBytes else { return FileResult.read }
    let (result, isAuthentic) = readFrame(place)
    let isWhole = within == 0 && count == SealedDatabaseFormat.frameBytes
    if result == SQLITE_OK, isAuthentic {
      target.copyMemory(from: room + within, byteCount: count)
      if isWhole { openedPlace = place }
      return SQLITE_OK
    }
    target.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    guard result == SQLITE_OK else { return result }
    // Whole frames are read to find the end of the log, which is where the first one is not whole: torn, or zeros.
    return isWhole ? SQLITE_OK : FileResult.damaged
  }

  /// Reads from the header of the log. That of a log which is not the database's is zeros, as if there was none.
  private func readHeader(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    guard offset + Int64(count) <= Self.header else { return FileResult.read }
    let result = baseRead(target, count, offset)
    guard result == SQLITE_OK, offset == 0, count == SealedDatabaseFormat.logHeaderBytes else { return result }
    switch database.isLog(salts: Self.salts(target)) {
    case true?: return SQLITE_OK
    case false?:
      target.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return SQLITE_OK
    case nil: return FileResult.damaged
    }
  }

  private static func salts(_ header: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: header.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
  }

  // MARK: Writing

  override func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if offset < Self.header { return writeHeader(source, count, offset) }
    let (place, within) = Self.place(of: offset)
    if within == 0, count == SealedDatabaseFormat.frameHeaderBytes {
      if openedPlace == place {
        // A frame that was read whole and gets a new header needs its checksum computed again.
        room.copyMemory(from: source, byteCount: count)
        return writeFrame(place)
      }
      let result = writeWaiting()
      guard result == SQLITE_OK else { return result }
      waiting.copyMemory(from: source, byteCount: count)
      waitingPlace = place
      return SQLITE_OK
    }
    guard within == SealedDatabaseFormat.frameHeaderBytes, count == SealedDatabaseFormat.pageBytes,
      Self.isReservedClear(source)
    else {
      return FileResult.write
    }
    if waitingPlace == place {
      waitingPlace = -1
      room.copyMemory(from: waiting, byteCount: SealedDatabaseFormat.frameHeaderBytes)
    } else {
      // A page that is written once more in its transaction. Its checksum is computed again before the commit.
      let result = writeWaiting()
      guard result == SQLITE_OK else { return result }
      let (read, isAuthentic) = readFrame(place)
      guard read == SQLITE_OK, isAuthentic else { return FileResult.write }
    }
    (room + SealedDatabaseFormat.frameHeaderBytes).copyMemory(
      from: source, byteCount: SealedDatabaseFormat.contentBytes)
    return writeFrame(place)
  }

  private func writeHeader(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    var result = writeWaiting()
    guard result == SQLITE_OK else { return result }
    guard offset == 0, count == SealedDatabaseFormat.logHeaderBytes else { return FileResult.write }
    result = database.expectLog(salts: Self.salts(source))
    return result == SQLITE_OK ? baseWrite(source, count, offset) : result
  }

  override func truncate(_ size: Int64) -> Int32 {
    let result = writeWaiting()
    return result == SQLITE_OK ? baseTruncate(size) : result
  }

  override func sync(_ flags: Int32) -> Int32 {
    let result = writeWaiting()
    return result == SQLITE_OK ? baseSync(flags) : result
  }

  override func size(_ size: inout Int64) -> Int32 {
    let result = writeWaiting()
    return result == SQLITE_OK ? baseSize(&size) : result
  }

  override func close() -> Int32 {
    let written = writeWaiting()
    let result = baseClose()
    database.hasLog = false
    return result == SQLITE_OK ? written : result
  }
}
