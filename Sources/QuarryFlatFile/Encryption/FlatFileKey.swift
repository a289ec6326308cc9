import QuarryBackend
import QuarrySystem

/// The keys of an encrypted file.
///
/// They are the key that its user gave, the slots that have the store's data key wrapped, and the cipher of this one file, whose
/// key is derived of the data key with the file's salt.
struct FlatFileKey: Sendable {
  /// The purpose for which the key of a file is derived: see ``DataKey/cipher(for:salt:)``.
  private static let purpose = "flat file"
  static let saltBytes = 16

  let encryption: Encryption
  private(set) var envelope: Envelope
  private let data: any DataKey
  let salt: [UInt8]
  let cipher: any StoreCipher
  /// The places whose salt is damaged.
  private var damagedSalts: [Int] = []

  private init(
    _ encryption: Encryption, _ envelope: Envelope, _ data: any DataKey, salt: [UInt8]
  ) throws(StorageError) {
    self.encryption = encryption
    self.envelope = envelope
    self.data = data
    self.salt = salt
    cipher = try data.cipher(for: Self.purpose, salt: salt)
  }

  // MARK: Making

  /// The key of a new file with a data key of its own.
  ///
  /// - Parameters:
  ///   - identity: Of the store.
  ///   - generation: Of its slots: more than what the store had.
  /// - Throws: `invalidValue`, `io`.
  static func make(
    _ encryption: Encryption, for identity: [UInt8], generation: UInt64 = 1
  ) throws(StorageError) -> FlatFileKey {
    let (slot, data) = try encryption.key.makeDataKey(for: identity, generation: generation)
    return try FlatFileKey(encryption, Envelope(slot), data, salt: .random(count: saltBytes))
  }

  /// The key of a new file; nil for a plain one.
  static func made(_ encryption: Encryption?, for identity: [UInt8]) throws(StorageError) -> FlatFileKey? {
    guard let encryption else { return nil }
    return try .make(encryption, for: identity)
  }

  /// The key of the file that takes this one's place: the data key and its slots stay, the file's key is another.
  func rewritten() throws(StorageError) -> FlatFileKey {
    guard let slot = envelope.slot else { throw Self.lost }
    return try FlatFileKey(encryption, Envelope(slot), data, salt: .random(count: Self.saltBytes))
  }

  /// The key of the file that takes this one's place, with another data key.
  func renewed(with new: Encryption, for identity: [UInt8]) throws(StorageError) -> FlatFileKey {
    try .make(new, for: identity, generation: generation &+ 1)
  }

  /// The same key in slots that are wrapped by another one.
  func wrapped(by new: Encryption, for identity: [UInt8]) throws(StorageError) -> FlatFileKey {
    let slot = try new.key.wrap(data, for: identity, generation: generation &+ 1)
    return try FlatFileKey(new, Envelope(slot), data, salt: salt)
  }

  /// That of the slot that holds.
  private var generation: UInt64 { envelope.slot?.generation ?? 0 }

  private static var lost: StorageError { .keySlotsDamaged() }

  // MARK: Reading

  /// The source of the key of a file that is read.
  enum Source: Sendable {
    /// Its user; nil where none was given.
    case user(Encryption?)
    /// A key that was unlocked before; nil for a plain file.
    case known(FlatFileKey?)
  }

  /// Unlocks a file.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the file.
  ///   - identity: The store's, which its slots have to name; nil where it was lost.
  /// - Throws: `keyRequired`, `wrongKey`, `schemaTooNew`; `corrupt` when both slots or both salts are damaged.
  init(
    _ source: Source, unlocking bytes: UnsafeRawBufferPointer, of path: String, identity: [UInt8]?
  ) throws(StorageError) {
    let envelope = try Self.envelope(bytes, of: path, identity: identity)
    let salts = FlatFileFormat.keyOffsets.map { Self.salt(bytes, at: $0 + EnvelopeSlot.byteCount) }
    guard let salt = salts.compactMap({ $0 }).first else {
      let place = FlatFileFormat.keyOffsets[0] + EnvelopeSlot.byteCount
      throw .damaged(path, at: place, "both salts of its key are damaged")
    }
    try self.init(source, envelope, salt: salt, of: path)
    damagedSalts = salts.indices.filter { salts[$0] != salt }
  }

  /// Unlocks what has these slots and that salt.
  init(_ source: Source, _ envelope: Envelope, salt: [UInt8], of path: String) throws(StorageError) {
    switch source {
    case .user(let encryption?):
      try self.init(encryption, envelope, try envelope.unlock(with: encryption), salt: salt)
    case .known(let key?):
      try self.init(key.encryption, envelope, key.data, salt: salt)
    case .user(nil), .known(nil):
      throw .keyRequired(path)
    }
  }

  /// The slots of a file.
  ///
  /// - Parameter bytes: As ``init(_:unlocking:of:identity:)``.
  /// - Throws: `corrupt`, `schemaTooNew`.
  static func envelope(
    _ bytes: UnsafeRawBufferPointer, of path: String, identity: [UInt8]?
  ) throws(StorageError) -> Envelope {
    guard bytes.count >= FlatFileFormat.firstSealedBatch else {
      throw .damaged(path, at: bytes.count, "the file ends before its first batch")
    }
    func slot(_ offset: Int) -> [UInt8] { Array(bytes[offset..<offset + EnvelopeSlot.byteCount]) }
    let envelope = try Envelope(
      first: slot(FlatFileFormat.keyOffsets[0]), second: slot(FlatFileFormat.keyOffsets[1]), of: path)
    for case let found? in envelope.slots {
      guard let identity, found.identity != identity else { continue }
      throw StorageError(.corrupt, "a key slot of \(path) belongs to another store")
    }
    return envelope
  }

  private static func salt(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> [UInt8]? {
    let salt = Array(bytes[offset..<offset + saltBytes])
    let checksum = bytes.loadLittleEndian(offset + saltBytes, as: UInt32.self)
    return salt.withBytes { CRC32C.checksum($0) } == checksum ? salt : nil
  }

  // MARK: Writing

  /// The bytes at each of the two places: the valid slot, and the salt.
  func placed() throws(StorageError) -> [UInt8] {
    guard let slot = envelope.slot else { throw Self.lost }
    var bytes = slot.bytes + salt
    bytes.append(littleEndian: salt.withBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// In which order the places are overwritten when the key changes: see ``Envelope/order``.
  var order: [Int] { envelope.order }

  func write(to file: any StoreFile, place: Int) throws(StorageError) {
    try file.write(try placed(), at: FlatFileFormat.keyOffsets[place])
  }

  /// Whether a place is damaged, or of a change that was not finished.
  var isStale: Bool { !envelope.stale.isEmpty || !damagedSalts.isEmpty }

  /// Overwrites a place that is damaged or of a change that was not finished, and brings it to the disk.
  mutating func repair(_ file: any StoreFile) throws(StorageError) {
    let stale = FlatFileFormat.keyOffsets.indices.filter { envelope.stale.contains($0) || damagedSalts.contains($0) }
    if stale.isEmpty { return }
    for place in stale {
      try write(to: file, place: place)
      try file.sync()
    }
    if let slot = envelope.slot { envelope = Envelope(slot) }
    damagedSalts = []
  }

  /// The defects of the two places; empty when both are whole and the same.
  var defects: [String] {
    envelope.defects + damagedSalts.map { "the salt of key slot \($0 + 1) is damaged; the other salt is used" }
  }
}
