import QuarryBackend

/// The random key of a store.
struct StoreDataKey: DataKey {
  let bytes: SecretBytes

  func cipher(for purpose: String, salt: [UInt8]) throws(StorageError) -> any StoreCipher {
    try LibraryCipher(try KeyDerivation.hkdf(bytes, salt: salt, info: Array("quarry \(purpose)".utf8)))
  }
}
