public import QuarryBackend

/// A key that a program keeps, or a passphrase that a person does.
///
/// Its secret is in memory that is overwritten when the last copy is released. It is in no description, error or mirror.
public struct EncryptionKey: WrappingKey {
  /// The fewest bytes of a key.
  public static let minimumBytes = 16

  private enum Source: Sendable {
    case bytes(SecretBytes)
    case passphrase(SecretBytes, logN: UInt8, r: UInt8, p: UInt8)
  }
  private let source: Source

  /// A key of raw bytes, of which the key that wraps is derived by HKDF-SHA256.
  ///
  /// - Parameter bytes: Random, ``minimumBytes`` or more; a passphrase is no such key.
  /// - Throws: `invalidValue` for fewer.
  public init(_ bytes: some Sequence<UInt8>) throws(StorageError) {
    try self.init(secret: SecretBytes(bytes))
  }

  init(secret: SecretBytes) throws(StorageError) {
    guard secret.count >= Self.minimumBytes else {
      throw StorageError(
        .invalidValue, "a key of \(secret.count) bytes is too short: \(Self.minimumBytes) random bytes are the minimum")
    }
    source = .bytes(secret)
  }

  private init(_ source: Source) { self.source = source }

  /// A new key of 32 random bytes.
  ///
  /// - Throws: `io` when the system gives none.
  public static func random() throws(StorageError) -> EncryptionKey {
    EncryptionKey(.bytes(try SecretBytes(randomCount: 32)))
  }

  /// Creates a key from a passphrase, derived once for each opening of a store by scrypt (RFC 7914).
  ///
  /// With the default cost it takes 128 MiB and about half a second.
  ///
  /// - Parameters:
  ///   - passphrase: Its bytes in UTF-8, as they are: not brought to a normal form.
  ///   - logN: The cost of a store that is made with the key: N = 2^`logN`, 14 to 20. A store that is there has its own.
  /// - Throws: `invalidValue` for an empty passphrase or another cost.
  public static func passphrase(_ passphrase: String, logN: UInt8 = 17) throws(StorageError) -> EncryptionKey {
    guard !passphrase.isEmpty else { throw StorageError(.invalidValue, "a passphrase cannot be empty") }
    guard (14...20).contains(logN) else {
      throw StorageError(.invalidValue, "the cost of a passphrase must be from 2^14 to 2^20, not 2^\(logN)")
    }
    return EncryptionKey(.passphrase(SecretBytes(passphrase.utf8), logN: logN, r: 8, p: 1))
  }

  /// Lends the bytes of the key, for a caller that stores it.
  ///
  /// - Parameter body: Is called once with the bytes, which are valid only inside.
  /// - Throws: `invalidValue` for a passphrase; the errors of the body.
  public func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard case .bytes(let bytes) = source else {
      throw StorageError(.invalidValue, "a key store does not keep passphrases")
    }
    return try bytes.withBytes(body)
  }

  // MARK: Wrapping

  static let suite: UInt16 = 1

  public func makeDataKey(
    for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> (EnvelopeSlot, any DataKey) {
    let key = StoreDataKey(bytes: try SecretBytes(randomCount: KeyDerivation.keyBytes))
    return (try wrap(key, for: identity, generation: generation), key)
  }

  public func wrap(
    _ key: any DataKey, for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> EnvelopeSlot {
    guard let key = key as? StoreDataKey else {
      throw StorageError(.unsupported, "the store's key is of another suite")
    }
    let derivation: EnvelopeSlot.Derivation =
      switch source {
      case .bytes: .hkdf
      case .passphrase(_, let logN, let r, let p): .scrypt(logN: logN, r: r, p: p)
      }
    var slot = EnvelopeSlot(
      suite: Self.suite, derivation: derivation, identity: identity, salt: try SystemRandom.bytes(16),
      generation: generation)
    let cipher = try LibraryCipher(try wrappingKey(of: slot))
    var trailer = [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
    var wrapped = [UInt8](repeating: 0, count: KeyDerivation.keyBytes)
    let associated = slot.associated
    try key.bytes.withBytes { content throws(StorageError) in
      try wrapped.withMutableBytes { wrapped throws(StorageError) in
        try trailer.withMutableBytes { trailer throws(StorageError) in
          try associated.withBytes { associated throws(StorageError) in
            try cipher.seal(content, associated, into: wrapped, trailer: trailer)
          }
        }
      }
    }
    slot.nonce = Array(trailer[..<StoreCipherFormat.nonceBytes])
    slot.tag = Array(trailer[StoreCipherFormat.nonceBytes...])
    slot.wrapped = wrapped
    return slot
  }

  public func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey {
    guard slot.suite == Self.suite else {
      throw StorageError(.schemaTooNew, "the store is sealed with suite \(slot.suite), and this version knows suite 1")
    }
    let cipher = try LibraryCipher(try wrappingKey(of: slot))
    let associated = slot.associated
    let trailer = slot.nonce + slot.tag
    let key = try SecretBytes(count: KeyDerivation.keyBytes) { content throws(StorageError) in
      let isAuthentic = try slot.wrapped.withBytes { wrapped throws(StorageError) in
        try associated.withBytes { associated throws(StorageError) in
          try trailer.withBytes { trailer throws(StorageError) in
            try cipher.open(wrapped, associated, trailer: trailer, into: content)
          }
        }
      }
      if !isAuthentic { throw .wrongKey }
    }
    return StoreDataKey(bytes: key)
  }

  /// The key that wraps, by the way that the slot says: a passphrase for a slot that was made with raw bytes is a wrong key
  /// and nothing else, and the other way round.
  private func wrappingKey(of slot: EnvelopeSlot) throws(StorageError) -> SecretBytes {
    let info = Array("quarry wrap".utf8)
    switch (source, slot.derivation) {
    case (.bytes(let bytes), .hkdf):
      return try KeyDerivation.hkdf(bytes, salt: slot.salt, info: info)
    case (.passphrase(let passphrase, _, _, _), .scrypt(let logN, let r, let p)):
      return try KeyDerivation.scrypt(passphrase, salt: slot.salt, logN: logN, r: r, p: p)
    case (.bytes, .scrypt), (.passphrase, .hkdf):
      throw .wrongKey
    }
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says nothing of the key.
  public var description: String { "EncryptionKey" }
  /// Says nothing of the key.
  public var debugDescription: String { "EncryptionKey" }
  /// Shows nothing of the key.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
