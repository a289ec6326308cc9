package import QuarryBackend

extension SyncEntry {
  private static let magic = Array("QSYE".utf8)
  /// The second format is of entries that say what their author had seen.
  private static let (plainFormat, seenFormat): (UInt8, UInt8) = (1, 2)

  /// The stored form of the entry (`docs/formats/sync.md`). Equal entries have equal bytes.
  package func encoded() -> [UInt8] {
    var payload = SyncWriter()
    payload.entry(self)
    return Self.encoded(payload.bytes, hasSeen: !seen.isEmpty)
  }

  /// The stored form of the entry with this payload.
  static func encoded(_ payload: [UInt8], hasSeen: Bool = false) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw(magic)
    writer.byte(hasSeen ? seenFormat : plainFormat)
    writer.raw(payload)
    writer.fixed(writer.bytes.withBytes { CRC32C.checksum($0) })
    return writer.bytes
  }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: `corrupt` for bytes in any other form, `schemaTooNew` for a later format, `limitExceeded` past 64 MiB or for
  ///   too many replicas.
  package init(decoding bytes: [UInt8]) throws(StorageError) {
    guard bytes.count <= SyncLimits.entry else {
      throw .limitExceeded("bytes of an entry", limit: SyncLimits.entry, actual: bytes.count)
    }
    guard bytes.count >= 9, bytes.starts(with: Self.magic), bytes[4] >= Self.plainFormat else {
      throw SyncReader.damaged
    }
    guard bytes[4] <= Self.seenFormat else {
      throw StorageError(.schemaTooNew, "the entry has format \(bytes[4]), which this version of Quarry cannot read")
    }
    let end = bytes.count - 4
    let sum = bytes[end...].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard bytes.withBytes({ CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[..<end])) }) == sum else {
      throw SyncReader.damaged
    }
    var reader = try SyncReader(bytes[5..<end])
    self = try reader.entry()
    try reader.finish()
    guard seen.isEmpty == (bytes[4] == Self.plainFormat) else { throw SyncReader.damaged }
  }
}
