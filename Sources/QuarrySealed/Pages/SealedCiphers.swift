import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The ciphers of one data key of a store.
final class SealedCiphers: Sendable {
  /// The key that this store was opened with, and what its slot was then; it has none where pages have checksums alone.
  let key: any DataKey
  let slot: EnvelopeSlot?
  private let pages = Mutex<[UInt32: any StoreCipher]>([:])
  private let roots = Mutex<[UInt32: any StoreCipher]>([:])

  init(_ key: any DataKey, _ slot: EnvelopeSlot?) {
    self.key = key
    self.slot = slot
  }

  /// The epoch after the given number of seals.
  static func epoch(seals: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: seals / SealedFormat.sealsInEpoch) }

  private func cipher(
    _ known: borrowing Mutex<[UInt32: any StoreCipher]>, _ purpose: String, _ epoch: UInt32
  ) throws(StorageError) -> any StoreCipher {
    if let cipher = known.withLock({ $0[epoch] }) { return cipher }
    var salt: [UInt8] = []
    salt.append(littleEndian: epoch)
    let made = try key.cipher(for: purpose, salt: salt)
    known.withLock { $0[epoch] = made }
    return made
  }

  /// The data that a page is bound to: its number, its epoch, and its kind.
  private static func withAssociated<R>(
    _ page: UInt64, _ epoch: UInt32, _ kind: SealedFormat.Kind,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try withUnsafeBytes(
      of: (page.littleEndian, (UInt64(kind.rawValue) << 32 | UInt64(epoch)).littleEndian), body)
  }

  /// Seals a page.
  ///
  /// - Parameters:
  ///   - content: ``SealedFormat/contentBytes``.
  ///   - sealed: ``SealedFormat/pageBytes``.
  /// - Returns: Its tag.
  func seal(
    _ content: UnsafeRawPointer, page: UInt64, _ kind: SealedFormat.Kind, seals: UInt64,
    into sealed: UnsafeMutableRawPointer
  ) throws(StorageError) -> PageTag {
    let epoch = Self.epoch(seals: seals)
    let cipher = try cipher(pages, "quarry sealed page", epoch)
    let end = SealedFormat.contentBytes
    sealed.storeBytes(of: epoch.littleEndian, toByteOffset: end, as: UInt32.self)
    try Self.withAssociated(page, epoch, kind) { associated throws(StorageError) in
      try cipher.seal(
        UnsafeRawBufferPointer(start: content, count: end), associated,
        into: UnsafeMutableRawBufferPointer(start: sealed, count: end),
        trailer: UnsafeMutableRawBufferPointer(start: sealed + end + 4, count: StoreCipherFormat.trailerBytes))
    }
    return PageTag(at: sealed + SealedFormat.pageBytes - StoreCipherFormat.tagBytes)
  }

  /// Opens a page.
  ///
  /// - Parameter content: ``SealedFormat/contentBytes``.
  /// - Throws: `corrupt` when it is not the page that is named.
  func open(
    _ sealed: UnsafeRawBufferPointer, page: UInt64, tag: PageTag, _ kind: SealedFormat.Kind,
    into content: UnsafeMutableRawPointer
  ) throws(StorageError) {
    guard sealed.count == SealedFormat.pageBytes, let start = sealed.baseAddress else {
      throw .damaged("page \(page) has \(sealed.count) bytes")
    }
    let end = SealedFormat.contentBytes
    guard PageTag(at: start + SealedFormat.pageBytes - StoreCipherFormat.tagBytes) == tag else {
      throw .damaged("page \(page) is not the one that is referred to")
    }
    let epoch = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: end, as: UInt32.self))
    let cipher = try cipher(pages, "quarry sealed page", epoch)
    let isAuthentic = try Self.withAssociated(page, epoch, kind) { associated throws(StorageError) in
      try cipher.open(
        UnsafeRawBufferPointer(start: start, count: end), associated,
        trailer: UnsafeRawBufferPointer(start: start + end + 4, count: StoreCipherFormat.trailerBytes),
        into: UnsafeMutableRawBufferPointer(start: content, count: end))
    }
    guard isAuthentic else { throw .damaged("page \(page) is not as it was sealed") }
  }

  // MARK: The root record

  private static func rootAssociated(_ epoch: UInt32) -> [UInt8] {
    var bytes = Array("QuarryRoot".utf8)
    bytes.append(littleEndian: SealedFormat.version)
    bytes.append(littleEndian: epoch)
    return bytes
  }

  /// The root record as it is stored: version 2, nothing 2, epoch 4, sealed content, nonce 12, tag 16.
  func sealRoot(_ content: [UInt8], seals: UInt64) throws(StorageError) -> [UInt8] {
    let epoch = Self.epoch(seals: seals)
    let cipher = try cipher(roots, "quarry sealed root", epoch)
    var record: [UInt8] = []
    record.append(littleEndian: SealedFormat.version)
    record.append(littleEndian: UInt16(0))
    record.append(littleEndian: epoch)
    record += content
    record += [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
    let associated = Self.rootAssociated(epoch)
    try record.withMutableBytes { bytes throws(StorageError) in
      let end = 8 + content.count
      let room = UnsafeMutableRawBufferPointer(rebasing: bytes[8..<end])
      try associated.withBytes { associated throws(StorageError) in
        try cipher.seal(
          UnsafeRawBufferPointer(room), associated, into: room,
          trailer: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
      }
    }
    return record
  }

  /// The content of a root record.
  ///
  /// - Returns: Nil when it is not as it was sealed with this key.
  /// - Throws: `corrupt`, `schemaTooNew`.
  func openRoot(_ record: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8]? {
    guard record.count > 8 + StoreCipherFormat.trailerBytes else { throw .damaged("its root record is cut") }
    let version = record.loadLittleEndian(0, as: UInt16.self)
    let second = record.loadLittleEndian(2, as: UInt16.self)
    guard version == SealedFormat.version, second == 0 else {
      // A later version is there twice, the second time with all bits turned.
      guard version > SealedFormat.version, second == ~version else { throw .damaged("its root record has no version") }
      throw StorageError(
        .schemaTooNew,
        "the store has sealed pages of format \(version), and this version knows format \(SealedFormat.version)")
    }
    let epoch = record.loadLittleEndian(4, as: UInt32.self)
    let cipher = try cipher(roots, "quarry sealed root", epoch)
    let end = record.count - StoreCipherFormat.trailerBytes
    var content = [UInt8](repeating: 0, count: end - 8)
    let associated = Self.rootAssociated(epoch)
    let isAuthentic = try content.withMutableBytes { room throws(StorageError) in
      try associated.withBytes { associated throws(StorageError) in
        try cipher.open(
          UnsafeRawBufferPointer(rebasing: record[8..<end]), associated,
          trailer: UnsafeRawBufferPointer(rebasing: record[end...]), into: room)
      }
    }
    return isAuthentic ? content : nil
  }
}
