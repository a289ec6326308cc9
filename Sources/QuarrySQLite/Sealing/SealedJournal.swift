import CSQLite

/// The rollback journal of a sealed database, which there is while a store is made and while it gets its log.
///
/// A record is a page number, a page and a checksum. The page is sealed, bound to its place and its number. The checksum is
/// a start, which stands in the journal's header, and a sum of some bytes of the page: of these the file has the start
/// alone, and the sum is added when the record is read.
final class SealedJournal: SealedFile {
  /// Where the checksum of the page that was read or written last is, and the sum of that page.
  private var checksumPlace: Int64 = -1
  private var sum: UInt32 = 0

  /// The checksum that SQLite computes: every two-hundredth byte from the end.
  private static func sum(_ page: UnsafeRawPointer) -> UInt32 {
    stride(from: SealedDatabaseFormat.pageBytes - 200, to: 0, by: -200).reduce(0) {
      $0 &+ UInt32(page.load(fromByteOffset: $1, as: UInt8.self))
    }
  }

  /// The number of the page of a record, which stands before it.
  private func number(_ offset: Int64) -> UInt64? {
    var number: UInt32 = 0
    guard offset >= 4, withUnsafeMutableBytes(of: &number, { base($0, offset - 4) }) == SQLITE_OK else { return nil }
    return UInt64(UInt32(bigEndian: number))
  }

  private func base(_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int32 {
    bytes.baseAddress.map { baseRead($0, bytes.count, offset) } ?? FileResult.read
  }

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let result = baseRead(target, count, offset)
    guard result == SQLITE_OK else { return result }
    if count == 4, offset == checksumPlace {
      checksumPlace = -1
      let start = UInt32(bigEndian: target.loadUnaligned(as: UInt32.self))
      target.storeBytes(of: (start &+ sum).bigEndian, as: UInt32.self)
    }
    guard count == SealedDatabaseFormat.pageBytes else { return SQLITE_OK }
    guard let number = number(offset),
      open(
        target, SealedDatabaseFormat.contentBytes, trailer: target + SealedDatabaseFormat.contentBytes, .journal,
        number, UInt64(offset)
      )
    else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return FileResult.damaged
    }
    Self.clearReserved(target)
    checksumPlace = offset + Int64(count)
    sum = Self.sum(target)
    return SQLITE_OK
  }

  override func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if count == 4, offset == checksumPlace {
      checksumPlace = -1
      var start = (UInt32(bigEndian: source.loadUnaligned(as: UInt32.self)) &- sum).bigEndian
      return withUnsafeBytes(of: &start) { bytes in
        bytes.baseAddress.map { baseWrite($0, bytes.count, offset) } ?? FileResult.write
      }
    }
    // Headers have 512 bytes: SQLite assumes that a write harms nothing next to it.
    guard count >= SealedDatabaseFormat.contentBytes else { return baseWrite(source, count, offset) }
    guard count == SealedDatabaseFormat.pageBytes, Self.isReservedClear(source), let number = number(offset),
      seal(
        source, SealedDatabaseFormat.contentBytes, into: room, trailer: room + SealedDatabaseFormat.contentBytes,
        .journal, number,
        UInt64(offset))
    else { return FileResult.write }
    checksumPlace = offset + Int64(count)
    sum = Self.sum(source)
    return baseWrite(room, SealedDatabaseFormat.pageBytes, offset)
  }
}
