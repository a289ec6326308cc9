import QuarryBackend

/// The checksum at the end of a page of a plain database, in the 32 bytes that SQLite leaves alone: `docs/formats/sqlite.md`.
///
/// ```
/// 4,064 magic 8F "QryCk" 1 0A | 4,072 page number u64, 0 for the first | 4,080 log u64 | 4,088 XXH64 of 0 … 4,087
/// ```
///
/// The log is zero but in the first page of a store of format 3, which names its log there: ``LogNote``.
///
/// The number tells a page from another one that was put in its place. In the header of the database stands that it is
/// written to by programs that SQLite does not know yet (its "file format write version" is 3), so that every other program
/// reads it and none writes pages without checksums; SQLite is shown what it wrote, a 2.
enum PageChecksum {
  static let pageBytes = SealedDatabaseFormat.pageBytes
  static let start = SealedDatabaseFormat.contentBytes
  static let logPlace = start + 16
  private static let sumPlace = pageBytes - 8
  /// 8F "QryCk", the version, a line feed.
  private static let magic = UInt64(littleEndian: 0x0A01_6B43_7972_518F)

  /// The meaning of the end of a page.
  enum Verdict {
    case right, wrong
    /// Another program has written the page, which leaves zeros there.
    case none
  }

  /// The offset of the header's write version: 2 for a database with a log.
  private static let writersPlace = 18
  private static let withLog: UInt8 = 2
  private static let ours: UInt8 = 3

  /// Shows the beginning of the first page as SQLite wrote it.
  @inline(__always)
  static func showWriters(_ first: UnsafeMutableRawPointer, _ count: Int) {
    guard count > writersPlace, first.load(fromByteOffset: writersPlace, as: UInt8.self) == ours else { return }
    first.storeBytes(of: withLog, toByteOffset: writersPlace, as: UInt8.self)
  }

  /// Whether a first page, as it is in the file, belongs to a database with a log.
  static func saysThereIsALog(_ first: [UInt8]) -> Bool {
    first[writersPlace] == withLog || first[writersPlace] == ours
  }

  /// Writes the end of a page.
  ///
  /// - Parameter log: The first page's note about its log; 0 for any other page.
  @inline(__always)
  static func put(into page: UnsafeMutableRawPointer, number: Int64, log: UInt64 = 0) {
    if number == 0, page.load(fromByteOffset: writersPlace, as: UInt8.self) == withLog {
      page.storeBytes(of: ours, toByteOffset: writersPlace, as: UInt8.self)
    }
    page.storeBytes(of: magic.littleEndian, toByteOffset: start, as: UInt64.self)
    page.storeBytes(of: number.littleEndian, toByteOffset: start + 8, as: Int64.self)
    page.storeBytes(of: log.littleEndian, toByteOffset: logPlace, as: UInt64.self)
    page.storeBytes(of: sum(page).littleEndian, toByteOffset: sumPlace, as: UInt64.self)
  }

  @inline(__always)
  static func verdict(_ page: UnsafeRawPointer, number: Int64) -> Verdict {
    if page.loadUnaligned(fromByteOffset: sumPlace, as: UInt64.self) == sum(page).littleEndian {
      let isOwn =
        page.loadUnaligned(fromByteOffset: start, as: UInt64.self) == magic.littleEndian
        && page.loadUnaligned(fromByteOffset: start + 8, as: Int64.self) == number.littleEndian
      return isOwn ? .right : .wrong
    }
    return hasNone(page) ? .none : .wrong
  }

  /// Whether there are zeros at the end of a page that is not all zeros, which no page in use is.
  @inline(never)
  private static func hasNone(_ page: UnsafeRawPointer) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: page, count: pageBytes)
    return bytes[start...].allSatisfy { $0 == 0 } && !bytes[..<start].allSatisfy { $0 == 0 }
  }

  @inline(__always)
  private static func sum(_ page: UnsafeRawPointer) -> UInt64 {
    XXH64.checksum(UnsafeRawBufferPointer(start: page, count: sumPlace))
  }

  /// Whether the first page of a database says that pages have checksums.
  ///
  /// Anything but zeros is taken for that where the page has room for it, so that damage there is found, too; and so is the
  /// format of the store, where another program has moved the first page out of the log.
  static func areUsed(_ first: [UInt8]) -> Bool {
    guard first.count == pageBytes else { return false }
    let hasMagic = first[start..<start + 8].elementsEqual(withUnsafeBytes(of: magic.littleEndian) { Array($0) })
    let isRoomy = first[16..<18].elementsEqual([0x10, 0]) && first[20] == SealedDatabaseFormat.reservedBytes
    let isOfFormat =
      SQLiteSchemaStore.formatsWithChecksums.contains {
        first[SQLiteSchemaStore.formatPlace].elementsEqual([0, 0, 0, $0])
      }
      && first[SQLiteSchemaStore.applicationPlace].elementsEqual(SQLiteSchemaStore.applicationBytes)
    return hasMagic || isRoomy && (isOfFormat || !first[start...].allSatisfy { $0 == 0 })
  }

  /// Pages with their ends, as the file has them.
  ///
  /// - Parameters:
  ///   - pages: Whole pages.
  ///   - first: The number of the first of them.
  static func sealed(_ pages: [UInt8], from first: Int64 = 0) -> [UInt8] {
    var pages = pages
    pages.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for number in 0..<bytes.count / pageBytes {
        let (page, number) = (base + number * pageBytes, first + Int64(number))
        // A database that is written as a whole has no log.
        put(into: page, number: number, log: number == 0 && LogNote.isKept(by: page) ? LogNote.none : 0)
      }
    }
    return pages
  }
}
