public import QuarryBackend

extension Store {
  /// The slot that has the store's key, wrapped: whether and how the store is encrypted. Nil for a plain store.
  ///
  /// The store keeps two copies of the slot. If both are lost, the store is unreadable, even with the key.
  ///
  /// - Throws: `closed`.
  public func keySlot() throws -> EnvelopeSlot? {
    try checkOpen()
    return (backend as? any RekeyingBackend)?.envelopeSlot
  }

  /// Changes the key of the store. No object changes, and open readers and writers continue.
  ///
  /// ```swift
  /// try store.rekey(to: newKey)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The new key, with which the store is opened from now on.
  ///   - extent: Seals everything again, or only wraps the data key with the new key: see ``RekeyExtent``.
  /// - Throws: `notEncrypted` for a plain store, which ``encrypt(_:with:)`` seals; `reentrant` inside a transaction of this
  ///   store. `inUse` where the store is open elsewhere and the engine cannot rekey it meanwhile; `busy`, `readOnly`, `full`,
  ///   `io`, `corrupt`. The store then has its old key. It may have the new one if the disk refused several operations, or one of a
  ///   full rekey: keep both keys. `unsupported` where the engine has no encryption, and for a full rekey that would leave other
  ///   names of a file (hard links) with the old content.
  /// - Complexity: For a full rekey, as for rewriting the store; otherwise two small writes.
  public func rekey(to key: some WrappingKey, _ extent: RekeyExtent = .full) throws {
    try checkOpen()
    if try currentTransaction() != nil {
      throw StorageError(.reentrant, "the key of a store cannot be changed inside a transaction of the store")
    }
    try backend.manifest.require(.openEncryption)
    try refuseForEngine()
    try backend.requireRekeying().rekey(to: Encryption(key), extent)
  }

  /// Seals a plain store that is not open anywhere. After a crash it is plain or sealed, and whole.
  ///
  /// ```swift
  /// try Store.encrypt(.sqlite(at: path), with: key)
  /// ```
  ///
  /// Blocks that the file system has freed may still hold the plain data on the disk.
  ///
  /// - Parameters:
  ///   - place: The engine and the place of the closed store.
  ///   - key: The key of the sealed store.
  /// - Throws: `keyRequired` for a store that is sealed already; `inUse` when the store is open anywhere. `notFound`, `corrupt`,
  ///   `full`, `io`; `unsupported` where the engine has no encryption, and for a file with other names (hard links), which would
  ///   stay as they are. The store is then as it was.
  /// - Complexity: As for rewriting the store.
  public static func encrypt(_ place: some BackendProvider, with key: some WrappingKey) throws {
    try place.requireEncrypting().reencrypt(from: nil, to: Encryption(key))
  }

  /// Rewrites a sealed store that is not open anywhere as a plain one. After a crash it is sealed or plain, and whole.
  ///
  /// - Parameters:
  ///   - place: The engine and the place of the closed store.
  ///   - key: The key that the store has.
  /// - Throws: `notEncrypted` for a plain store; `wrongKey`; as ``encrypt(_:with:)``.
  /// - Complexity: As for rewriting the store.
  public static func decrypt(_ place: some BackendProvider, with key: some WrappingKey) throws {
    try place.requireEncrypting().reencrypt(from: Encryption(key), to: nil)
  }
}
