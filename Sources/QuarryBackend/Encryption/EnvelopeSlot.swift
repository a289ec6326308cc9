/// The data key of a store, wrapped by its user's key, as stored: see `docs/formats/encryption.md`.
///
/// Its fields are in the clear; unwrapping the data key verifies that they were not changed.
public struct EnvelopeSlot: Sendable, Hashable {
  /// How the wrapping key is made of what the user keeps.
  public enum Derivation: Sendable, Hashable {
    /// HKDF-SHA256 (RFC 5869) of a key of 16 bytes or more.
    case hkdf
    /// scrypt (RFC 7914) of a passphrase, with N = 2^`logN`.
    case scrypt(logN: UInt8, r: UInt8, p: UInt8)
  }

  /// Bytes of a slot.
  public static let byteCount = 128
  /// The version of the format.
  public static let version: UInt16 = 1
  /// 8F "QrySlot"
  static let magic: [UInt8] = [0x8F, 0x51, 0x72, 0x79, 0x53, 0x6C, 0x6F, 0x74]

  /// The number of the ciphers; 1 is AES-256-GCM with HKDF-SHA256.
  public var suite: UInt16
  /// How the key that wraps is made of what the user keeps.
  public var derivation: Derivation
  /// 16 bytes that name the store.
  public var identity: [UInt8]
  /// 16 bytes for the derivation.
  public var salt: [UInt8]
  /// Of two slots that with the greater number holds.
  public var generation: UInt64
  /// 12 bytes.
  public var nonce: [UInt8]
  /// 32 bytes: the data key, sealed.
  public var wrapped: [UInt8]
  /// 16 bytes.
  public var tag: [UInt8]

  /// A slot of these parts; the data key is wrapped afterwards.
  ///
  /// - Parameters:
  ///   - suite: The number of the ciphers; 1 is AES-256-GCM with HKDF-SHA256.
  ///   - derivation: How the wrapping key is derived from what the user keeps.
  ///   - identity: 16 bytes that name the store.
  ///   - salt: 16 bytes for the derivation.
  ///   - generation: The number of the slot; of two slots the greater one is valid.
  ///   - nonce: 12 bytes.
  ///   - wrapped: 32 bytes, the sealed data key.
  ///   - tag: 16 bytes, the authentication tag of the sealed data key.
  public init(
    suite: UInt16, derivation: Derivation, identity: [UInt8], salt: [UInt8], generation: UInt64,
    nonce: [UInt8] = [UInt8](repeating: 0, count: 12), wrapped: [UInt8] = [UInt8](repeating: 0, count: 32),
    tag: [UInt8] = [UInt8](repeating: 0, count: 16)
  ) {
    self.suite = suite
    self.derivation = derivation
    self.identity = identity
    self.salt = salt
    self.generation = generation
    self.nonce = nonce
    self.wrapped = wrapped
    self.tag = tag
  }

  /// The slot as it is stored, ``byteCount`` bytes.
  public var bytes: [UInt8] {
    var bytes = associated
    bytes += nonce
    bytes += wrapped
    bytes += tag
    bytes += [UInt8](repeating: 0, count: 8)
    bytes.append(littleEndian: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// The bytes bound to the wrapped key: everything before the nonce.
  public var associated: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: suite)
    switch derivation {
    case .hkdf: bytes += [1, 0, 0, 0]
    case .scrypt(let logN, let r, let p): bytes += [2, logN, r, p]
    }
    bytes += identity
    bytes += salt
    bytes.append(littleEndian: generation)
    return bytes
  }

  /// Whether bytes begin as a slot does.
  ///
  /// - Parameter bytes: Bytes of a file or a value; the first eight decide. The checksum is not compared.
  public static func isSlot(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.prefix(magic.count).elementsEqual(magic)
  }

  /// Reads a slot.
  ///
  /// - Parameter bytes: ``byteCount`` bytes: `docs/formats/encryption.md`.
  /// - Returns: Nil when the bytes are not a slot, or are damaged.
  /// - Throws: `schemaTooNew` for a slot of a later version with a correct checksum.
  public init?(_ bytes: [UInt8]) throws(StorageError) {
    guard bytes.count == Self.byteCount, Self.isSlot(bytes) else { return nil }
    let checksum = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[..<124])) }
    guard checksum == bytes.withUnsafeBytes({ $0.loadLittleEndian(124, as: UInt32.self) }) else { return nil }
    let version = bytes.withUnsafeBytes { $0.loadLittleEndian(8, as: UInt16.self) }
    guard version == Self.version else {
      throw StorageError(
        .schemaTooNew,
        "the key slot has format \(version), and this version of Quarry reads format \(Self.version)")
    }
    suite = bytes.withUnsafeBytes { $0.loadLittleEndian(10, as: UInt16.self) }
    switch bytes[12] {
    case 1 where bytes[13..<16].allSatisfy { $0 == 0 }: derivation = .hkdf
    case 2: derivation = .scrypt(logN: bytes[13], r: bytes[14], p: bytes[15])
    default:
      throw StorageError(
        .schemaTooNew, "the key slot has derivation \(bytes[12]), which this version of Quarry does not know")
    }
    identity = Array(bytes[16..<32])
    salt = Array(bytes[32..<48])
    generation = bytes.withUnsafeBytes { $0.loadLittleEndian(48, as: UInt64.self) }
    nonce = Array(bytes[56..<68])
    wrapped = Array(bytes[68..<100])
    tag = Array(bytes[100..<116])
    guard bytes[116..<124].allSatisfy({ $0 == 0 }) else { return nil }
  }
}

extension EnvelopeSlot: CustomStringConvertible {
  /// The ciphers and how the key is derived: `AES-256-GCM, HKDF-SHA256`.
  public var description: String {
    let cipher = suite == 1 ? "AES-256-GCM" : "suite \(suite)"
    switch derivation {
    case .hkdf: return "\(cipher), HKDF-SHA256"
    case .scrypt(let logN, let r, let p): return "\(cipher), scrypt (N = 2^\(logN), r = \(r), p = \(p))"
    }
  }
}
