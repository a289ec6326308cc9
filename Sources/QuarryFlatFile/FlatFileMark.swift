import QuarryBackend
import QuarrySystem

/// What a file says of its own end: so much of it was on the disk once, with these commits.
///
/// There are two places for it, which are written in turn, so that one of them is whole whatever happens to the other
/// while it is written. Bytes before the end that a mark names never change, so that a mark stays true when it is the
/// older one. A mark is written after what it speaks of was synced.
struct FlatFileMark: Sendable, Hashable {
  /// Of two marks the one with the greater number holds.
  var number: UInt64
  /// Whether nobody writes to the file since. Else commits may follow behind the end.
  var isClosed: Bool
  /// Where the last batch ends.
  var end: Int
  /// The last commit.
  var commit: UInt64
  /// The checksums of the headers of all batches up to the end: see ``chain(_:_:)``.
  var chain: UInt32

  /// The mark of a file that has no batch yet.
  static func first(isClosed: Bool) -> FlatFileMark {
    FlatFileMark(number: 1, isClosed: isClosed, end: FlatFileFormat.firstBatch, commit: 0, chain: 0)
  }

  /// The mark that takes this one's place.
  func next(isClosed: Bool, end: Int, commit: UInt64, chain: UInt32) -> FlatFileMark {
    FlatFileMark(number: number &+ 1, isClosed: isClosed, end: end, commit: commit, chain: chain)
  }

  /// The mark of a file with these commits that is being written to again.
  func opened() -> FlatFileMark {
    next(isClosed: false, end: end, commit: commit, chain: chain)
  }

  /// The number for the batches up to one whose header has that checksum, where that for those before it is known.
  static func chain(_ chain: UInt32, _ headerChecksum: UInt32) -> UInt32 {
    withUnsafeBytes(of: headerChecksum.littleEndian) { CRC32C.checksum($0, continuing: chain) }
  }

  // MARK: Bytes

  private static let magic: UInt32 = 0x4B52_4D51
  private static let closed: UInt32 = 1
  private static let byteCount = 48

  private static func offset(_ number: UInt64) -> Int {
    FlatFileFormat.markOffsets[Int(truncatingIfNeeded: number % 2)]
  }

  /// The mark that holds of those in the beginning of a file; nil when there is none for a file of that tag.
  ///
  /// - Parameter bytes: Everything before the first batch.
  static func newest(_ bytes: UnsafeRawBufferPointer, tag: UInt64) -> FlatFileMark? {
    FlatFileFormat.markOffsets.compactMap { FlatFileMark(bytes, at: $0, tag: tag) }.max { $0.number < $1.number }
  }

  private init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, tag: UInt64) {
    let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.byteCount])
    guard part.loadLittleEndian(0, as: UInt32.self) == Self.magic,
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: part[..<44])) == part.loadLittleEndian(44, as: UInt32.self),
      part.loadLittleEndian(8, as: UInt64.self) == tag,
      let end = Int(exactly: part.loadLittleEndian(24, as: UInt64.self)), end >= FlatFileFormat.firstBatch
    else { return nil }
    let flags = part.loadLittleEndian(4, as: UInt32.self)
    number = part.loadLittleEndian(16, as: UInt64.self)
    // A mark of a later version, or one that was put into the other place.
    guard flags & ~Self.closed == 0, Self.offset(number) == offset else { return nil }
    isClosed = flags & Self.closed != 0
    self.end = end
    commit = part.loadLittleEndian(32, as: UInt64.self)
    chain = part.loadLittleEndian(40, as: UInt32.self)
  }

  init(number: UInt64, isClosed: Bool, end: Int, commit: UInt64, chain: UInt32) {
    self.number = number
    self.isClosed = isClosed
    self.end = end
    self.commit = commit
    self.chain = chain
  }

  /// Writes the mark into its place.
  func write(to file: any StoreFile, tag: UInt64) throws(StorageError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.byteCount, alignment: 8)
    defer { bytes.deallocate() }
    encode(into: bytes, tag: tag)
    try file.write(UnsafeRawBufferPointer(bytes), at: Self.offset(number))
  }

  /// Puts the mark where it belongs.
  ///
  /// - Parameter bytes: Everything before the first batch.
  func put(into bytes: inout [UInt8], tag: UInt64) {
    let offset = Self.offset(number)
    bytes.withUnsafeMutableBytes { bytes in
      encode(into: UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + Self.byteCount]), tag: tag)
    }
  }

  private func encode(into bytes: UnsafeMutableRawBufferPointer, tag: UInt64) {
    bytes.storeLittleEndian(Self.magic, at: 0)
    bytes.storeLittleEndian(isClosed ? Self.closed : 0, at: 4)
    bytes.storeLittleEndian(tag, at: 8)
    bytes.storeLittleEndian(number, at: 16)
    bytes.storeLittleEndian(UInt64(end), at: 24)
    bytes.storeLittleEndian(commit, at: 32)
    bytes.storeLittleEndian(chain, at: 40)
    bytes.storeLittleEndian(CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<44])), at: 44)
  }
}
