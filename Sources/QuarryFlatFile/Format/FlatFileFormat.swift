import QuarryBackend

/// The numbers of the file format, `docs/formats/flat-file.md`.
enum FlatFileFormat {
  static let version: UInt32 = 2
  /// The format without marks, which is read, and becomes the newer one when a file is opened for writing.
  static let versionWithoutMarks: UInt32 = 1
  /// The format of encrypted files; a plain one is of ``version``.
  static let versionOfSealed: UInt32 = 3
  /// The flag of a header: the file is encrypted.
  static let sealedHeader: UInt32 = 1
  /// Bytes of the header that its checksum closes.
  static let headerBytes = 64
  /// Where the number of the process that has the file open for writing is: in another sector than the header.
  static let ownerOffset = 512
  /// Where the marks of the file's end are, each in a sector of its own: the one with an even number, and the odd one.
  static let markOffsets = [128, 768]
  /// Where the batches of a plain file begin.
  static let firstBatch = 1024
  /// The offset of the first batch of an encrypted file.
  static let firstSealedBatch = 4096
  /// Where the two slots with the key of an encrypted file are, in sectors of their own; each is followed by the salt.
  static let keyOffsets = [1024, 2560]
  /// 8F "Quarry" 0A: neither text nor damaged by what treats it as text.
  static let magic: [UInt8] = [0x8F, 0x51, 0x75, 0x61, 0x72, 0x72, 0x79, 0x0A]

  static let batchHeaderBytes = 48
  /// Bytes that no batch has: it is in memory as a whole while it is written.
  static let longestBatch = 1 << 40
  /// "QBAT"
  static let batchMagic: UInt32 = 0x5441_4251
  /// More batches of the same commit follow.
  static let moreFollows: UInt32 = 1
  /// The content is sealed.
  static let sealed: UInt32 = 2

  enum Operation {
    static let tree: UInt8 = 1
    static let put: UInt8 = 2
    static let delete: UInt8 = 3
    static let deleteRange: UInt8 = 4
  }
}

/// The beginning of a file.
struct FlatFileHeader: Sendable, Hashable {
  /// The version of the format that the file has.
  var format = FlatFileFormat.version
  /// The store, through all its rewrites.
  var identity: [UInt8]
  /// The file: each rewrite has another. Every batch repeats it.
  var tag: UInt64
  /// The commit that the file begins with a snapshot of, 0 when it begins with the first.
  var snapshot: UInt64

  var isSealed: Bool { format == FlatFileFormat.versionOfSealed }
  /// Where the batches begin.
  var firstBatch: Int { isSealed ? FlatFileFormat.firstSealedBatch : FlatFileFormat.firstBatch }

  /// A header for a new store.
  static func random(isSealed: Bool, snapshot: UInt64 = 0) -> FlatFileHeader {
    FlatFileHeader(identity: .random(count: 16), tag: 0, snapshot: 0)
      .rewritten(isSealed: isSealed, snapshot: snapshot)
  }

  /// A header for a rewrite of the same store.
  func rewritten(isSealed: Bool, snapshot: UInt64) -> FlatFileHeader {
    var header = FlatFileHeader(identity: identity, tag: UInt64.random(in: 1...UInt64.max), snapshot: snapshot)
    if isSealed { header.format = FlatFileFormat.versionOfSealed }
    return header
  }

  init(identity: [UInt8], tag: UInt64, snapshot: UInt64) {
    self.identity = identity
    self.tag = tag
    self.snapshot = snapshot
  }

  /// Everything before the first batch of a plain file.
  ///
  /// - Parameter mark: The end that the file records; nil for a file of the format without marks.
  func encoded(owner: Int32, mark: FlatFileMark?) -> [UInt8] {
    var bytes = encoded()
    bytes += [UInt8](repeating: 0, count: FlatFileFormat.ownerOffset - bytes.count)
    bytes.append(littleEndian: UInt64(UInt32(bitPattern: owner)))
    bytes += [UInt8](repeating: 0, count: FlatFileFormat.firstBatch - bytes.count)
    mark?.put(into: &bytes, tag: tag)
    return bytes
  }

  /// Everything before the first batch of an encrypted file.
  func encoded(owner: Int32, mark: FlatFileMark, _ key: FlatFileKey) throws(StorageError) -> [UInt8] {
    var bytes = encoded(owner: owner, mark: nil)
    bytes += [UInt8](repeating: 0, count: FlatFileFormat.firstSealedBatch - bytes.count)
    let placed = try key.placed()
    for offset in FlatFileFormat.keyOffsets { bytes.replaceSubrange(offset..<offset + placed.count, with: placed) }
    let sealed = try mark.sealed(of: self, key)
    bytes.replaceSubrange(mark.offset..<mark.offset + sealed.count, with: sealed)
    return bytes
  }

  /// The bytes that the checksum closes.
  func encoded() -> [UInt8] {
    var bytes = FlatFileFormat.magic
    bytes.append(littleEndian: format)
    bytes.append(littleEndian: isSealed ? FlatFileFormat.sealedHeader : 0)
    bytes += identity
    bytes.append(littleEndian: tag)
    bytes.append(littleEndian: snapshot)
    bytes += [UInt8](repeating: 0, count: 12)
    bytes.append(littleEndian: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// - Throws: `corrupt` for something else or damage; `schemaTooNew` for a format after this version's.
  init(_ bytes: UnsafeRawBufferPointer, of path: String) throws(StorageError) {
    if bytes.prefix(8).elementsEqual(FlatFileTail.magic) {
      throw StorageError(.corrupt, "\(path) is the end of a flat file that was set aside: pass it to FlatFile.salvage")
    }
    guard bytes.count >= FlatFileFormat.magic.count, bytes.prefix(8).elementsEqual(FlatFileFormat.magic) else {
      throw StorageError(.corrupt, "\(path) is not a flat file of Quarry")
    }
    guard bytes.count >= FlatFileFormat.headerBytes else {
      throw .damaged(path, at: bytes.count, "the file ends inside its header")
    }
    let checksum = bytes.loadLittleEndian(60, as: UInt32.self)
    var version = bytes.loadLittleEndian(8, as: UInt32.self)
    if Self.checksum(bytes, version: version) != checksum {
      // A file becomes one of the newer format by these two numbers alone, and a crash may come between them. Its marks
      // mean nothing yet.
      guard version == FlatFileFormat.version,
        Self.checksum(bytes, version: FlatFileFormat.versionWithoutMarks) == checksum
      else { throw .damaged(path, at: 0, "the checksum of the header is wrong") }
      version = FlatFileFormat.versionWithoutMarks
    }
    let flags = bytes.loadLittleEndian(12, as: UInt32.self)
    let isSealed = version == FlatFileFormat.versionOfSealed && flags == FlatFileFormat.sealedHeader
    guard version <= FlatFileFormat.version || isSealed else {
      throw StorageError(
        .schemaTooNew,
        "\(path) has format \(version), and this version knows formats up to \(FlatFileFormat.version), and of encrypted "
          + "files \(FlatFileFormat.versionOfSealed)")
    }
    guard version > 0, flags == 0 || isSealed else {
      throw StorageError(.corrupt, "\(path) has format \(version) with flags \(flags), which is not known")
    }
    // In a plain file they are not checked; here there is nothing that was not sealed with the marks.
    guard !isSealed || bytes[48..<60].allSatisfy({ $0 == 0 }) else {
      throw .damaged(path, at: 48, "the header has data that this version of Quarry does not know")
    }
    format = version
    guard bytes.count >= (isSealed ? FlatFileFormat.firstSealedBatch : FlatFileFormat.firstBatch) else {
      throw .damaged(path, at: bytes.count, "the file ends before its first batch")
    }
    identity = Array(bytes[16..<32])
    tag = bytes.loadLittleEndian(32, as: UInt64.self)
    snapshot = bytes.loadLittleEndian(40, as: UInt64.self)
  }
}

extension FlatFileHeader {
  /// The checksum that a header has with that version in it.
  ///
  /// - Parameter bytes: At least as many as the checksum closes.
  fileprivate static func checksum(_ bytes: UnsafeRawBufferPointer, version: UInt32) -> UInt32 {
    var copy = Array(bytes[..<60])
    copy.withUnsafeMutableBytes { $0.storeLittleEndian(version, at: 8) }
    return copy.withUnsafeBytes { CRC32C.checksum($0) }
  }
}

/// The beginning of a batch.
struct BatchHeader: Sendable, Hashable {
  var flags: UInt32
  var tag: UInt64
  var commit: UInt64
  /// The last commit that was known to be on the disk when the batch was written.
  var synced: UInt64
  /// Bytes of the content behind the header.
  var length: Int
  var contentChecksum: UInt32
  /// The header's own checksum, where it was read from a file.
  private(set) var checksum: UInt32 = 0

  var moreFollows: Bool { flags & FlatFileFormat.moreFollows != 0 }
  var isSealed: Bool { flags & FlatFileFormat.sealed != 0 }
  /// Bytes of the whole batch.
  var byteCount: Int { FlatFileFormat.batchHeaderBytes + length }

  init(flags: UInt32, tag: UInt64, commit: UInt64, synced: UInt64, length: Int, contentChecksum: UInt32) {
    self.flags = flags
    self.tag = tag
    self.commit = commit
    self.synced = synced
    self.length = length
    self.contentChecksum = contentChecksum
  }

  /// - Parameter bytes: At least as many as a header has.
  /// - Returns: Nil when they are none, or a damaged one.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.loadLittleEndian(0, as: UInt32.self) == FlatFileFormat.batchMagic else { return nil }
    let checksum = bytes.loadLittleEndian(44, as: UInt32.self)
    guard CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<44])) == checksum,
      let length = Int(exactly: bytes.loadLittleEndian(32, as: UInt64.self))
    else { return nil }
    flags = bytes.loadLittleEndian(4, as: UInt32.self)
    guard flags & ~(FlatFileFormat.moreFollows | FlatFileFormat.sealed) == 0 else { return nil }
    tag = bytes.loadLittleEndian(8, as: UInt64.self)
    commit = bytes.loadLittleEndian(16, as: UInt64.self)
    synced = bytes.loadLittleEndian(24, as: UInt64.self)
    contentChecksum = bytes.loadLittleEndian(40, as: UInt32.self)
    self.length = length
    self.checksum = checksum
  }

  /// The header's own checksum, in the bytes that ``encode(into:)`` filled.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    bytes.loadLittleEndian(44, as: UInt32.self)
  }

  /// - Parameter bytes: At least as many as a header has.
  func encode(into bytes: UnsafeMutableRawBufferPointer) {
    bytes.storeLittleEndian(FlatFileFormat.batchMagic, at: 0)
    bytes.storeLittleEndian(flags, at: 4)
    bytes.storeLittleEndian(tag, at: 8)
    bytes.storeLittleEndian(commit, at: 16)
    bytes.storeLittleEndian(synced, at: 24)
    bytes.storeLittleEndian(UInt64(length), at: 32)
    bytes.storeLittleEndian(contentChecksum, at: 40)
    bytes.storeLittleEndian(CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<44])), at: 44)
  }
}
