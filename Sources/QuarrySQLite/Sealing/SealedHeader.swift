import QuarryBackend

/// The page before SQLite's pages: what the file is, the two slots of its key, and which log belongs to it.
///
/// Its first 64 bytes are in a sector of their own, and so is each slot: writing one touches no other.
struct SealedHeader {
  /// 8F "QrySQL" and a line feed.
  static let magic: [UInt8] = [0x8F, 0x51, 0x72, 0x79, 0x53, 0x51, 0x4C, 0x0A]
  static let version: UInt32 = 1
  /// Where the slots of the key are.
  static let keyPlaces = [1024, 2560]
  /// Where the slots of the log are.
  static let logPlaces = [1536, 3072]

  /// 16 bytes that name the data key: a file with another key is another file.
  let identity: [UInt8]
  let envelope: Envelope

  /// The header of a new database, or of a copy of one.
  init(_ slot: EnvelopeSlot) {
    identity = slot.identity
    envelope = Envelope(slot)
  }

  static func isHeader(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.prefix(magic.count).elementsEqual(magic)
  }

  /// Whether bytes begin as an SQLite database does that is not sealed.
  static func isPlain(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.prefix(16).elementsEqual("SQLite format 3\0".utf8)
  }

  /// Reads a header that begins as one.
  ///
  /// - Parameter name: The store's name in errors.
  /// - Throws: `corrupt`, `schemaTooNew`.
  init(_ bytes: [UInt8], of name: String) throws(StorageError) {
    guard bytes.count == SealedDatabaseFormat.pageBytes, Self.isHeader(bytes) else {
      throw StorageError(.corrupt, "\(name) has no header of an encrypted database")
    }
    let (version, pageBytes, checksum, found) = bytes.withUnsafeBytes { bytes in
      (
        bytes.loadLittleEndian(8, as: UInt32.self), bytes.loadLittleEndian(12, as: UInt32.self),
        bytes.loadLittleEndian(60, as: UInt32.self), CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<60]))
      )
    }
    guard checksum == found else { throw StorageError(.corrupt, "the header of \(name) is damaged") }
    guard version == Self.version, pageBytes == SealedDatabaseFormat.pageBytes else {
      throw StorageError(
        .schemaTooNew,
        "\(name) is sealed in format \(version) with pages of \(pageBytes) bytes, and this version knows format "
          + "\(Self.version) with pages of \(SealedDatabaseFormat.pageBytes)")
    }
    identity = Array(bytes[16..<32])
    envelope = try Envelope(
      first: Array(bytes[Self.keyPlaces[0]...].prefix(EnvelopeSlot.byteCount)),
      second: Array(bytes[Self.keyPlaces[1]...].prefix(EnvelopeSlot.byteCount)), of: name)
    guard envelope.slot?.identity == identity else {
      throw StorageError(.corrupt, "the key in \(name) belongs to another store")
    }
  }

  /// The header page, without the log's slots.
  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: UInt32(SealedDatabaseFormat.pageBytes))
    bytes += identity
    bytes += [UInt8](repeating: 0, count: 60 - bytes.count)
    bytes.append(littleEndian: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    bytes += [UInt8](repeating: 0, count: SealedDatabaseFormat.pageBytes - bytes.count)
    for (place, slot) in zip(Self.keyPlaces, envelope.slots) {
      if let slot { bytes.replaceSubrange(place..<place + EnvelopeSlot.byteCount, with: slot.bytes) }
    }
    return bytes
  }
}
