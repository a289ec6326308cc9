/// That a store is sealed, and with which key: what a program gives when it opens, makes, encrypts or rekeys a store.
///
/// ```swift
/// import QuarryEncryption
/// let store = try Store(for: Book.self, in: .sqlite(at: path), encryption: .init(key))
/// ```
///
/// Engines know no cipher: the key brings one. `QuarryEncryption` has keys from bytes, passphrases and key stores.
public struct Encryption: Sendable {
  /// The key that wraps the store's data key.
  public let key: any WrappingKey

  /// A store that is sealed with the key.
  ///
  /// - Parameter key: The key that the program keeps, such as an `EncryptionKey`.
  public init(_ key: some WrappingKey) { self.key = key }
}

extension Encryption: CustomStringConvertible {
  /// Says nothing of the key.
  public var description: String { "Encryption" }
}
