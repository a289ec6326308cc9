#if canImport(Security)
  import Foundation
  public import QuarryBackend
  import Security

  /// Keys in the keychain of an Apple system, as generic passwords of one service.
  public struct KeychainKeyStore: WritableKeyStore, Hashable {
    /// The service that the keys are listed under.
    public let service: String
    /// Whether the keys stay on this device. A device that is restored from a backup has its stores then, and not their keys.
    public let staysOnDevice: Bool

    /// Creates the store of the keys of one service.
    ///
    /// - Parameters:
    ///   - service: The service that the keys are listed under.
    ///   - staysOnDevice: Whether the keys stay on this device, and are in no backup of it.
    public init(service: String = "quarry", staysOnDevice: Bool = false) {
      self.service = service
      self.staysOnDevice = staysOnDevice
    }

    private func query(_ name: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
      if let name { query[kSecAttrAccount] = name }
      return query
    }

    public func key(named name: String) throws(StorageError) -> EncryptionKey {
      try KeyName.check(name)
      var query = query(name)
      query[kSecReturnData] = true
      var item: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &item)
      guard status == errSecSuccess, let data = item as? Data else { throw Self.error(status, name) }
      return try EncryptionKey(data)
    }

    public func add(_ key: EncryptionKey, named name: String) throws(StorageError) {
      try KeyName.check(name)
      var query = query(name)
      query[kSecAttrAccessible] =
        staysOnDevice ? kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly : kSecAttrAccessibleAfterFirstUnlock
      query[kSecValueData] = try key.withBytes { bytes throws(StorageError) in Data(bytes) }
      let status = SecItemAdd(query as CFDictionary, nil)
      if status != errSecSuccess { throw Self.error(status, name) }
    }

    public func remove(named name: String) throws(StorageError) {
      try KeyName.check(name)
      let status = SecItemDelete(query(name) as CFDictionary)
      if status != errSecSuccess { throw Self.error(status, name) }
    }

    public func names() throws(StorageError) -> [String] {
      var query = query(nil)
      query[kSecReturnAttributes] = true
      query[kSecMatchLimit] = kSecMatchLimitAll
      var items: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &items)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess, let found = items as? [[CFString: Any]] else { throw Self.error(status, "") }
      return found.compactMap { $0[kSecAttrAccount] as? String }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func error(_ status: OSStatus, _ name: String) -> StorageError {
      switch status {
      case errSecItemNotFound: StorageError(.notFound, "there is no key named \(name) in the keychain")
      case errSecDuplicateItem: StorageError(.duplicateKey, "a key named \(name) already exists in the keychain")
      default: StorageError(.io, "the keychain refused the request: error \(status)")
      }
    }
  }
#endif
