import QuarryBackend

/// LMDB's record of a database's tree (`MDB_db` in its source).
struct LMDBTreeRecord: Equatable {
  static let byteCount = 48
  /// The number of a root page that is not there.
  static let noPage = UInt64.max

  var flags: UInt16
  /// The levels of the tree, 0 for an empty one.
  var depth: UInt16
  var branchPages: UInt64
  var leafPages: UInt64
  var overflowPages: UInt64
  var entries: UInt64
  var root: UInt64

  var isEmpty: Bool { root == Self.noPage && depth == 0 && entries == 0 }

  /// - Parameter bytes: ``byteCount`` or more.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    flags = bytes.loadLittleEndian(offset + 4, as: UInt16.self)
    depth = bytes.loadLittleEndian(offset + 6, as: UInt16.self)
    branchPages = bytes.loadLittleEndian(offset + 8, as: UInt64.self)
    leafPages = bytes.loadLittleEndian(offset + 16, as: UInt64.self)
    overflowPages = bytes.loadLittleEndian(offset + 24, as: UInt64.self)
    entries = bytes.loadLittleEndian(offset + 32, as: UInt64.self)
    root = bytes.loadLittleEndian(offset + 40, as: UInt64.self)
  }
}

/// A meta page: where a commit's trees are. There are two, in which commits are noted in turn.
struct LMDBMeta: Equatable {
  private static let magic: UInt32 = 0xBEEF_C0DE
  /// Bytes of the page that have something.
  static let byteCount = 152

  var pageSize: Int
  var mapBytes: UInt64
  /// The tree of the lists of free pages.
  var free: LMDBTreeRecord
  /// The main database, which has the records of all others.
  var main: LMDBTreeRecord
  var lastPage: UInt64
  var transaction: UInt64

  /// - Parameter bytes: The beginning of a meta page, of ``byteCount`` bytes.
  private init(_ bytes: UnsafeRawBufferPointer) {
    pageSize = Int(bytes.loadLittleEndian(40, as: UInt32.self))
    mapBytes = bytes.loadLittleEndian(32, as: UInt64.self)
    free = LMDBTreeRecord(bytes, at: 40)
    main = LMDBTreeRecord(bytes, at: 88)
    lastPage = bytes.loadLittleEndian(136, as: UInt64.self)
    transaction = bytes.loadLittleEndian(144, as: UInt64.self)
  }

  /// The number of the commit in the bytes of a meta page; nil where there are fewer.
  static func number(_ bytes: [UInt8]) -> UInt64? {
    bytes.count < byteCount ? nil : bytes.withBytes { $0.loadLittleEndian(144, as: UInt64.self) }
  }

  /// Whether a meta page begins at an address, where 20 bytes can be read.
  static func isMeta(at start: UnsafeRawPointer) -> Bool {
    UInt32(littleEndian: start.load(fromByteOffset: LMDBPage.head, as: UInt32.self)) == magic
  }

  /// The first bytes of a meta page; fewer at the end of the file.
  ///
  /// - Throws: `corrupt` for what is none; `io`.
  private static func bytes(_ file: LMDBFileReader, at offset: Int) throws(StorageError) -> [UInt8] {
    let bytes = try file.bytes(byteCount, at: offset)
    if bytes.isEmpty, offset == 0 { return bytes }
    guard bytes.count == byteCount, bytes[10] & 0x08 != 0,
      bytes.withBytes({ $0.loadLittleEndian(16, as: UInt32.self) }) == magic
    else { throw StorageError(.corrupt, "\(file.path)/data.mdb is not an LMDB file") }
    return bytes
  }

  private static func isSound(_ meta: LMDBMeta) -> Bool {
    meta.pageSize >= 512 && meta.pageSize <= 65536 && meta.pageSize & (meta.pageSize - 1) == 0
      && meta.lastPage < 1 << 46 && meta.transaction < 1 << 62
  }

  /// The meta page of the newest commit, as LMDB chooses it, and the other one; nil for a file of no bytes.
  ///
  /// - Throws: `corrupt` when one of them is none, or when LMDB would not find the newest; `schemaTooNew`; `io`.
  static func read(_ file: LMDBFileReader) throws(StorageError) -> (newest: LMDBMeta, other: LMDBMeta)? {
    let bytes = try bytes(file, at: 0)
    if bytes.isEmpty { return nil }
    let first = bytes.withBytes { LMDBMeta($0) }
    guard isSound(first) else { throw damaged(file) }
    let others = try Self.bytes(file, at: first.pageSize)
    let (version, otherVersion) = (Self.version(bytes), Self.version(others))
    guard version == 1, otherVersion == 1 else {
      // That of one page alone is damage.
      throw StorageError(
        version > 1 && version == otherVersion ? .schemaTooNew : .corrupt,
        "\(file.path)/data.mdb has version \(version == 1 ? otherVersion : version) of LMDB's format, not 1")
    }
    let second = others.withBytes { LMDBMeta($0) }
    guard isSound(second) else { throw damaged(file) }
    guard second.pageSize == first.pageSize else {
      throw StorageError(.corrupt, "\(file.path)/data.mdb has two meta pages that differ")
    }
    let isSecond = second.transaction > first.transaction
    let newest = isSecond ? second : first
    // LMDB looks for a commit in the page that its number says, whatever is there.
    guard newest.transaction % 2 == (isSecond ? 1 : 0) else { throw damaged(file) }
    return (newest, isSecond ? first : second)
  }

  private static func version(_ bytes: [UInt8]) -> UInt32 {
    bytes.withBytes { $0.loadLittleEndian(20, as: UInt32.self) }
  }

  private static func damaged(_ file: LMDBFileReader) -> StorageError {
    StorageError(.corrupt, "\(file.path)/data.mdb has a damaged meta page")
  }
}
