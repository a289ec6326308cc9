import QuarryBackend
import QuarrySystem

/// A file's record of its own end: the given number of bytes was on the disk once, with these commits.
///
/// There are two places for it, which are written in turn, so that one of them is whole whatever happens to the other
/// while it is written. Bytes before the end that a mark names never change, so that a mark stays true when it is the
/// older one. A mark is written after what it speaks of was synced.
struct FlatFileMark: Sendable, Hashable {
  /// Of two marks the one with the greater number holds.
  var number: UInt64
  /// Whether the file has had no writer since. Otherwise commits may follow behind the end.
  var isClosed: Bool
  /// Where the last batch ends.
  var end: Int
  /// The last commit.
  var commit: UInt64
  /// The checksums of the headers of all batches up to the end: see ``chain(_:_:)``.
  var chain: UInt32
  /// The tag of the last batch of an encrypted file.
  var last = BatchTag()

  /// The mark of a file that has no batch yet.
  static func first(isClosed: Bool, in header: FlatFileHeader) -> FlatFileMark {
    FlatFileMark(number: 1, isClosed: isClosed, end: header.firstBatch, commit: 0, chain: 0)
  }

  /// The mark that takes this one's place.
  func next(isClosed: Bool, end: Int, commit: UInt64, chain: UInt32, last: BatchTag) -> FlatFileMark {
    FlatFileMark(number: number &+ 1, isClosed: isClosed, end: end, commit: commit, chain: chain, last: last)
  }

  /// The mark that says the same, at the other place.
  func again(isClosed: Bool) -> FlatFileMark {
    next(isClosed: isClosed, end: end, commit: commit, chain: chain, last: last)
  }

  /// The number for the batches up to one whose header has that checksum, where that for those before it is known.
  static func chain(_ chain: UInt32, _ headerChecksum: UInt32) -> UInt32 {
    withUnsafeBytes(of: headerChecksum.littleEndian) { CRC32C.checksum($0, continuing: chain) }
  }

  // MARK: Bytes

  private static let magic: UInt32 = 0x4B52_4D51
  private static let closed: UInt32 = 1
  private static let byteCount = 48

  /// Where it belongs.
  var offset: Int { FlatFileFormat.markOffsets[Int(truncatingIfNeeded: number % 2)] }

  /// The mark that holds of those in the beginning of a file; nil when there is none for a file of that tag.
  ///
  /// - Parameter bytes: Everything before the first batch.
  static func newest(_ bytes: UnsafeRawBufferPointer, tag: UInt64) -> FlatFileMark? {
    marks(in: bytes, tag: tag).max { $0.number < $1.number }
  }

  private static func marks(in bytes: UnsafeRawBufferPointer, tag: UInt64) -> [FlatFileMark] {
    FlatFileFormat.markOffsets.compactMap { offset in
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
      guard isWhole(part), let mark = FlatFileMark(part, tag: tag), mark.offset == offset else { return nil }
      return mark
    }
  }

  /// Whether there is a mark that nothing happened to by chance.
  static func isWhole(_ part: UnsafeRawBufferPointer) -> Bool {
    let checksum = part.count - 4
    return part.loadLittleEndian(0, as: UInt32.self) == magic
      && CRC32C.checksum(UnsafeRawBufferPointer(rebasing: part[..<checksum]))
        == part.loadLittleEndian(checksum, as: UInt32.self)
  }

  /// - Parameter part: A whole mark.
  init?(_ part: UnsafeRawBufferPointer, tag: UInt64) {
    guard part.loadLittleEndian(8, as: UInt64.self) == tag,
      let end = Int(exactly: part.loadLittleEndian(24, as: UInt64.self)), end >= FlatFileFormat.firstBatch
    else { return nil }
    let flags = part.loadLittleEndian(4, as: UInt32.self)
    number = part.loadLittleEndian(16, as: UInt64.self)
    // Else it is a mark of a later version.
    guard flags & ~Self.closed == 0 else { return nil }
    isClosed = flags & Self.closed != 0
    self.end = end
    commit = part.loadLittleEndian(32, as: UInt64.self)
    chain = part.loadLittleEndian(40, as: UInt32.self)
  }

  init(number: UInt64, isClosed: Bool, end: Int, commit: UInt64, chain: UInt32, last: BatchTag = BatchTag()) {
    self.number = number
    self.isClosed = isClosed
    self.end = end
    self.commit = commit
    self.chain = chain
    self.last = last
  }

  /// Writes the mark into its place.
  ///
  /// - Parameter key: Of an encrypted file.
  func write(to file: any StoreFile, of header: FlatFileHeader, _ key: FlatFileKey?) throws(StorageError) {
    if let key {
      try file.write(sealed(of: header, key), at: offset)
    } else {
      try file.write(whole(tag: header.tag), at: offset)
    }
  }

  /// Writes the mark, in an encrypted file at both places: an attacker without a key then finds no older mark there to restore.
  /// Only where all of the file gets to the disk before it is a store.
  ///
  /// - Returns: The mark that holds.
  func settle(
    in file: any StoreFile, of header: FlatFileHeader, _ key: FlatFileKey?
  ) throws(StorageError) -> FlatFileMark {
    try write(to: file, of: header, key)
    if key == nil { return self }
    let again = again(isClosed: isClosed)
    try again.write(to: file, of: header, key)
    return again
  }

  /// Puts the mark of a plain file where it belongs.
  ///
  /// - Parameter bytes: Everything before the first batch.
  func put(into bytes: inout [UInt8], tag: UInt64) {
    bytes.replaceSubrange(offset..<offset + Self.byteCount, with: whole(tag: tag))
  }

  /// The mark as it stands in a plain file.
  private func whole(tag: UInt64) -> [UInt8] {
    var bytes = encoded(tag: tag)
    bytes.append(littleEndian: bytes.withBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// The content of the mark, before its checksum.
  func encoded(tag: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    bytes.append(littleEndian: Self.magic)
    bytes.append(littleEndian: isClosed ? Self.closed : 0)
    bytes.append(littleEndian: tag)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: UInt64(end))
    bytes.append(littleEndian: commit)
    bytes.append(littleEndian: chain)
    return bytes
  }
}
