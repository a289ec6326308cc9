public import QuarryBackend

/// A place where a program's keys are kept by name.
public protocol KeyStore: Sendable {
  /// The key of that name.
  ///
  /// - Parameter name: The name of the key.
  /// - Throws: `notFound` when there is none; `invalidValue` for a name that cannot be one, a key that is too short, or one
  ///   that others can read; `io`.
  func key(named name: String) throws(StorageError) -> EncryptionKey
}

/// A place where keys can be made, too.
public protocol WritableKeyStore: KeyStore {
  /// Keeps a key under a name that nothing has.
  ///
  /// - Parameters:
  ///   - key: A key of raw bytes.
  ///   - name: A name that no key has.
  /// - Throws: `duplicateKey` when there is a key of that name; `invalidValue` for a name that cannot be one and for a
  ///   passphrase; `full`, `io`.
  func add(_ key: EncryptionKey, named name: String) throws(StorageError)
  /// Removes a key.
  ///
  /// Data sealed with this key alone is unreadable afterwards.
  ///
  /// - Parameter name: The name of the key.
  /// - Throws: `notFound` when there is none; `invalidValue` for a name that cannot be one; `io`.
  func remove(named name: String) throws(StorageError)
  /// The names of the keys, in the order of their bytes.
  ///
  /// - Throws: `io`.
  func names() throws(StorageError) -> [String]
}

extension WritableKeyStore {
  /// The key of that name, which is made when there is none and it may be: 32 random bytes.
  ///
  /// Processes that make it at once get the same.
  ///
  /// - Parameters:
  ///   - name: The name of the key.
  ///   - orCreate: Whether a key is made when none has the name.
  /// - Throws: `notFound` when there is none and it is not to be made; the errors of ``KeyStore/key(named:)`` and
  ///   ``add(_:named:)``; `io` when the system gives no random bytes.
  public func key(named name: String, orCreate: Bool) throws(StorageError) -> EncryptionKey {
    do throws(StorageError) {
      return try key(named: name)
    } catch {
      guard orCreate, error.code == .notFound else { throw error }
    }
    do throws(StorageError) {
      let key = try EncryptionKey.random()
      try add(key, named: name)
      return key
    } catch {
      guard error.code == .duplicateKey else { throw error }
      return try key(named: name)
    }
  }
}

/// The rules for names of keys.
enum KeyName {
  /// - Throws: `invalidValue` for what could be a path, or hidden.
  static func check(_ name: String) throws(StorageError) {
    let isSound = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isSound, (1...100).contains(name.utf8.count), name.utf8.first != UInt8(ascii: ".") else {
      throw StorageError(
        .invalidValue,
        "the name of a key must have 1 to 100 ASCII letters, digits, points, dashes or underscores, and no point at its start"
      )
    }
  }
}
