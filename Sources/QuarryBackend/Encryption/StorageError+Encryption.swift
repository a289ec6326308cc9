// Errors for stores and keys that do not go together, with the same texts on every engine: contract, ERR-5, and `docs/errors.md`.

extension StorageError {
  /// A sealed store was opened without a key.
  ///
  /// - Parameter name: The store's name in the message.
  public static func keyRequired(_ name: String) -> StorageError {
    StorageError(.keyRequired, "\(name) is encrypted, and no key was given")
  }
  /// The key does not unwrap the store's data key.
  public static var wrongKey: StorageError {
    StorageError(.wrongKey, "the key is not the key of this store")
  }
  /// A plain store was opened with a key.
  ///
  /// - Parameter name: The store's name in the message.
  public static func notEncrypted(_ name: String) -> StorageError {
    StorageError(.notEncrypted, "\(name) is not encrypted, and a key was given")
  }
}
