import QuarryBackend

/// A row of the log: the place of an entry, which is read without its content, and the entry.
struct StoredEntry {
  /// Tag, HLC and tag of the entry before.
  private static let head = 24

  /// - Throws: `limitExceeded` past 64 MiB.
  static func encode(_ entry: SyncEntry) throws(StorageError) -> [UInt8] {
    try encode(entry.mark, after: entry.previous, entry.encoded())
  }

  /// - Parameter entry: The entry at rest.
  static func encode(
    _ mark: EntryMark, after previous: EntryMark, _ entry: [UInt8]
  ) throws(StorageError) -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(mark.tag)
    writer.fixed(previous.hlc)
    writer.fixed(previous.tag)
    writer.raw(entry)
    guard writer.bytes.count - head <= SyncLimits.entry else {
      throw .limitExceeded("bytes of a synced transaction", limit: SyncLimits.entry, actual: writer.bytes.count - head)
    }
    return writer.bytes
  }

  /// The stamp in a key of the log.
  static func stamp(_ key: [UInt8]) throws(StorageError) -> Stamp {
    guard key.count == 25, let replica = ReplicaID(bytes: Array(key[9...])) else { throw SyncReader.damaged }
    return Stamp(key[1..<9].reduce(0) { $0 << 8 | UInt64($1) }, replica)
  }

  /// The entry without its content.
  static func place(_ key: [UInt8], _ value: UnsafeRawBufferPointer) throws(StorageError) -> SyncEntry {
    guard value.count >= head else { throw SyncReader.damaged }
    func number(_ place: Int) -> UInt64 { value.loadLittleEndian(place, as: UInt64.self) }
    let stamp = try stamp(key)
    return SyncEntry(
      origin: stamp.replica, mark: EntryMark(stamp.hlc, number(0)), previous: EntryMark(number(8), number(16)),
      changes: [])
  }

  static func entry(_ key: [UInt8], _ value: UnsafeRawBufferPointer) throws(StorageError) -> SyncEntry {
    guard value.count >= head else { throw SyncReader.damaged }
    let entry = try SyncEntry(decoding: Array(value[head...]))
    guard entry.stamp == (try stamp(key)) else { throw SyncReader.damaged }
    return entry
  }
}
