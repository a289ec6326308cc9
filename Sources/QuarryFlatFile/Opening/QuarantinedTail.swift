import QuarryBackend
import QuarrySystem

/// The beginning of a file with a tail.
struct QuarantinedTail: Sendable, Hashable {
  /// The seal of the batches of a tail, which its store may have changed since.
  struct Seal: Sendable, Hashable {
    var slot: EnvelopeSlot
    var salt: [UInt8]
    /// The tag of the batch before the tail.
    var last: BatchTag
  }

  var path: String
  /// Of the store.
  var identity: [UInt8]
  var tag: UInt64
  /// Where the tail was in the store's file, behind which commit, and ``FlatFileMark/chain`` up to there.
  var offset: Int
  var commit: UInt64
  var chain: UInt32
  var isBeginning: Bool
  var bytes: Int
  /// Nil for the tail of a plain file.
  var seal: Seal?

  private static let version: UInt16 = 1
  private static let versionOfSealed: UInt16 = 2

  /// Bytes of the header.
  var headerBytes: Int { seal == nil ? FlatFileTail.headerBytes : FlatFileTail.sealedHeaderBytes }

  init(
    path: String, identity: [UInt8], tag: UInt64, offset: Int, commit: UInt64, chain: UInt32, isBeginning: Bool,
    bytes: Int, seal: Seal?
  ) {
    self.path = path
    self.identity = identity
    self.tag = tag
    self.offset = offset
    self.commit = commit
    self.chain = chain
    self.isBeginning = isBeginning
    self.bytes = bytes
    self.seal = seal
  }

  /// - Returns: Nil when the file is none with a tail, or its beginning is damaged.
  /// - Throws: `schemaTooNew` for a key of a later version; `io`.
  init?(_ file: any StoreFile, path: String) throws(StorageError) {
    let size = try file.status().size
    let window = ReadWindow(file, size: FlatFileTail.sealedHeaderBytes)
    let header = try window.bytes(at: 0, count: FlatFileTail.sealedHeaderBytes, end: size)
    guard header.count >= FlatFileTail.headerBytes, header.prefix(8).elementsEqual(FlatFileTail.magic),
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: header[..<60])) == header.loadLittleEndian(60, as: UInt32.self),
      let offset = Int(exactly: header.loadLittleEndian(40, as: UInt64.self))
    else { return nil }
    switch header.loadLittleEndian(8, as: UInt16.self) {
    case Self.version: seal = nil
    case Self.versionOfSealed:
      seal = try Seal(header)
      if seal == nil { return nil }
    default: return nil
    }
    self.path = path
    isBeginning = header.loadLittleEndian(10, as: UInt16.self) & 1 != 0
    chain = header.loadLittleEndian(12, as: UInt32.self)
    identity = Array(header[16..<32])
    tag = header.loadLittleEndian(32, as: UInt64.self)
    self.offset = offset
    commit = header.loadLittleEndian(48, as: UInt64.self)
    bytes = size - (seal == nil ? FlatFileTail.headerBytes : FlatFileTail.sealedHeaderBytes)
  }

  func write(to file: any StoreFile) throws(StorageError) {
    var header = FlatFileTail.magic
    header.append(littleEndian: seal == nil ? Self.version : Self.versionOfSealed)
    header.append(littleEndian: UInt16(isBeginning ? 1 : 0))
    header.append(littleEndian: chain)
    header += identity
    header.append(littleEndian: tag)
    header.append(littleEndian: UInt64(offset))
    header.append(littleEndian: commit)
    header.append(littleEndian: UInt32(0))
    header.append(littleEndian: header.withBytes { CRC32C.checksum($0) })
    if let seal { header += seal.encoded }
    try file.write(header, at: 0)
  }

  /// Unlocks what the batches are sealed with; nil for the tail of a plain file.
  ///
  /// - Throws: `keyRequired`, `wrongKey`.
  func key(_ encryption: Encryption?) throws(StorageError) -> FlatFileKey? {
    guard let seal else { return nil }
    return try FlatFileKey(.user(encryption), Envelope(seal.slot), salt: seal.salt, of: path)
  }

  /// Gives the tails of a store the key that the store has now, as far as they can be read and written: one that cannot
  /// keeps the old one.
  static func rekey(_ path: String, _ files: any FileSystem, from old: Encryption, to new: Encryption) {
    for name in (try? FlatFileTail.names(path, files)) ?? [] {
      guard let file = try? files.open(name, .readWrite), var tail = try? QuarantinedTail(file, path: name),
        let seal = tail.seal, let key = try? tail.key(old),
        let wrapped = try? key.wrapped(by: new, for: tail.identity)
      else { continue }
      tail.seal = Seal(wrapped, last: seal.last)
      // In one sector.
      do throws(StorageError) {
        try tail.write(to: file)
        try file.sync()
      } catch {
        continue
      }
    }
  }
}

extension QuarantinedTail.Seal {
  /// - Returns: Nil where both slots of the key are damaged.
  init?(_ key: FlatFileKey, last: BatchTag) {
    guard let slot = key.envelope.slot else { return nil }
    self.init(slot: slot, salt: key.salt, last: last)
  }

  /// Reads it from the header of a tail.
  ///
  /// - Returns: Nil when it is damaged.
  init?(_ header: UnsafeRawBufferPointer) throws(StorageError) {
    let end = FlatFileTail.sealedHeaderBytes - 4
    guard header.count >= FlatFileTail.sealedHeaderBytes,
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: header[FlatFileTail.headerBytes..<end]))
        == header.loadLittleEndian(end, as: UInt32.self)
    else { return nil }
    let salt = FlatFileTail.headerBytes + EnvelopeSlot.byteCount
    guard let slot = try EnvelopeSlot(Array(header[FlatFileTail.headerBytes..<salt])) else { return nil }
    self.slot = slot
    self.salt = Array(header[salt..<salt + FlatFileKey.saltBytes])
    last = BatchTag(header, at: salt + FlatFileKey.saltBytes)
  }

  /// The bytes after the header of a plain one.
  fileprivate var encoded: [UInt8] {
    var bytes = slot.bytes + salt
    let place = bytes.count
    let zeros = FlatFileTail.sealedHeaderBytes - FlatFileTail.headerBytes - 4 - place
    bytes += [UInt8](repeating: 0, count: zeros)
    bytes.withUnsafeMutableBytes { last.put(into: $0, at: place) }
    bytes.append(littleEndian: bytes.withBytes { CRC32C.checksum($0) })
    return bytes
  }
}
