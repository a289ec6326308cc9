/// The random key of one store, of which every key that seals something is derived.
public protocol DataKey: Sendable {
  /// A cipher for one use, with a key derived from this one: HKDF-SHA256 (RFC 5869) with the purpose as its info.
  ///
  /// - Parameters:
  ///   - purpose: The kind of data that is sealed: another purpose is another key.
  ///   - salt: The value that separates keys of one purpose: an epoch, a file.
  /// - Throws: `io` when the library of the ciphers refuses.
  func cipher(for purpose: String, salt: [UInt8]) throws(StorageError) -> any StoreCipher
}
