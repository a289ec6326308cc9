import CSQLite
import QuarryBackend

/// The header page, read and written through the file that SQLite has open: closing another descriptor of it would release
/// the locks of this process.
extension SealedDatabase {
  /// The file that a connection has open.
  static func of(_ database: OpaquePointer) throws(StorageError) -> SealedDatabase {
    guard let sealed = VFSFileMethods.file(of: database) as? SealedDatabase
    else { throw StorageError(.io, "the database has no sealed file") }
    return sealed
  }

  /// - Throws: `corrupt`, `schemaTooNew`, `io`.
  func header(of name: String) throws(StorageError) -> SealedHeader {
    var bytes = [UInt8](repeating: 0, count: SealedDatabaseFormat.pageBytes)
    let result = bytes.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { baseRead($0, bytes.count, 0) } ?? FileResult.read
    }
    guard result == SQLITE_OK || result == FileResult.shortRead else {
      throw StorageError(sqlite: result, nil, name)
    }
    return try SealedHeader(bytes, of: name)
  }

  /// Overwrites one slot of the key, and brings it to the disk.
  func write(_ slot: EnvelopeSlot, at place: Int) throws(StorageError) {
    var result = slot.bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { baseWrite($0, bytes.count, Int64(SealedHeader.keyPlaces[place])) } ?? FileResult.write
    }
    if result == SQLITE_OK { result = baseSync(SQLITE_SYNC_NORMAL) }
    guard result == SQLITE_OK else { throw StorageError(sqlite: result, nil, "the key of the store") }
  }

  // MARK: The log that belongs to the database

  // Each slot is in a sector of its own: nonce 12, tag 16, sealed 16: a number that grows by one, and the two salts of the log's
  // header. The slot with the greater number is valid. A log with other salts is of another time, and next to a newer database it
  // would give pages of both.

  private static let logSlotBytes = StoreCipherFormat.trailerBytes + 16

  /// Whether a log with these salts is the one that belongs to the database.
  ///
  /// - Returns: Nil when that cannot be known, because a slot is damaged and the other one has other salts.
  func isLog(salts: UInt64) -> Bool? {
    let slots = [logSlot(0), logSlot(1)]
    if let newest = slots.compactMap(\.self).max(by: { $0.number < $1.number }), newest.salts == salts { return true }
    return slots.contains { $0 == nil } ? nil : false
  }

  /// The relation of a log with these salts to the database.
  func verdict(ofLog salts: UInt64) -> LogNote.Verdict {
    let slots = [logSlot(0), logSlot(1)]
    let known = slots.compactMap(\.self).sorted { $0.number < $1.number }
    if known.last?.salts == salts { return .own }
    if known.contains(where: { $0.salts == salts }) { return .old }
    return known.count == slots.count ? .foreign : .damaged
  }

  /// Whether there are no pages yet: the header belongs to a store that is created in place.
  var isUnmade: Bool { logSlot(0)?.number == 0 && logSlot(1)?.number == 0 }

  /// Whether the slots of the log are whole.
  var hasWholeLogSlots: Bool { logSlot(0) != nil && logSlot(1) != nil }

  /// Writes that the log has new salts, before it has, and brings it to the disk: what was in the old log is in the
  /// database then.
  func expectLog(salts: UInt64) -> Int32 {
    let slots = [logSlot(0), logSlot(1)].map { $0?.number ?? 0 }
    let index = slots[0] <= slots[1] ? 0 : 1
    guard let bytes = Self.logSlot(index, number: max(slots[0], slots[1]) &+ 1, salts: salts, keys) else {
      return FileResult.write
    }
    let result = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { baseWrite($0, bytes.count, Int64(SealedHeader.logPlaces[index])) } ?? FileResult.write
    }
    return result == SQLITE_OK && vfs.syncsLogSlots ? baseSync(SQLITE_SYNC_NORMAL) : result
  }

  private func logSlot(_ index: Int) -> (number: UInt64, salts: UInt64)? {
    var bytes = [UInt8](repeating: 0, count: Self.logSlotBytes)
    let result = bytes.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { baseRead($0, bytes.count, Int64(SealedHeader.logPlaces[index])) } ?? FileResult.read
    }
    guard result == SQLITE_OK else { return nil }
    let associated = Self.logSlotAssociated(index)
    return bytes.withUnsafeMutableBytes { bytes -> (UInt64, UInt64)? in
      let content = UnsafeMutableRawBufferPointer(rebasing: bytes[StoreCipherFormat.trailerBytes...])
      let isAuthentic = associated.withUnsafeBytes { associated in
        do throws(StorageError) {
          return try keys.logCipher.open(
            UnsafeRawBufferPointer(content), associated,
            trailer: UnsafeRawBufferPointer(rebasing: bytes[..<StoreCipherFormat.trailerBytes]), into: content)
        } catch {
          return false
        }
      }
      guard isAuthentic else { return nil }
      let plain = UnsafeRawBufferPointer(content)
      return (plain.loadLittleEndian(0, as: UInt64.self), plain.loadLittleEndian(8, as: UInt64.self))
    }
  }

  private static func logSlotAssociated(_ index: Int) -> [UInt8] {
    [SealedDatabaseFormat.Part.logSlot.rawValue, UInt8(truncatingIfNeeded: index)]
  }

  /// - Returns: Nil when the cipher refuses.
  static func logSlot(_ index: Int, number: UInt64, salts: UInt64, _ keys: SealedKeys) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: salts)
    let associated = logSlotAssociated(index)
    let isSealed = bytes.withUnsafeMutableBytes { bytes in
      associated.withUnsafeBytes { associated in
        let content = UnsafeMutableRawBufferPointer(rebasing: bytes[StoreCipherFormat.trailerBytes...])
        do throws(StorageError) {
          try keys.logCipher.seal(
            UnsafeRawBufferPointer(content), associated, into: content,
            trailer: UnsafeMutableRawBufferPointer(rebasing: bytes[..<StoreCipherFormat.trailerBytes]))
          return true
        } catch {
          return false
        }
      }
    }
    return isSealed ? bytes : nil
  }
}
