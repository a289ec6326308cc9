public import QuarryBackend

extension Store {
  /// Whether and how the store is encrypted: the slot that has its key, wrapped; nil for a plain one.
  ///
  /// Without one of its two copies of it nobody reads the store, whoever has the key.
  public func keySlot() throws(StorageError) -> EnvelopeSlot? {
    try checkOpen()
    return (backend as? any RekeyingBackend)?.envelopeSlot
  }

  /// Changes the key of the store. No object changes, and what is open goes on.
  ///
  /// ```swift
  /// try store.rekey(to: newKey)
  /// ```
  ///
  /// - Parameters:
  ///   - key: The new key, with which the store is opened from now on.
  ///   - extent: Everything is sealed anew, or the data key is only wrapped by another: see ``RekeyExtent``.
  /// - Throws: `notEncrypted` for a plain store, which ``encrypt(_:with:)`` seals; `reentrant` inside a transaction of this
  ///   store; `inUse` where somebody else has the store open and the engine cannot do it beside that; `busy`, `readOnly`,
  ///   `full`, `io`, `corrupt`. The store then has its old key. `unsupported` where the engine has no encryption.
  /// - Complexity: As writing the store anew for a full rekey; two small writes for the other.
  public func rekey(to key: some WrappingKey, _ extent: RekeyExtent = .full) throws(StorageError) {
    try checkOpen()
    if try joined() != nil { throw StorageError(.reentrant, "changing the key of a store inside a transaction of it") }
    try backend.manifest.require(.openEncryption)
    try backend.requireRekeying().rekey(to: Encryption(key), extent)
  }

  /// Seals a plain store that nobody has open. After a crash it is plain or sealed, and whole.
  ///
  /// ```swift
  /// try Store.encrypt(.sqlite(at: path), with: key)
  /// ```
  ///
  /// What was plain on the disk may be there still, in blocks that the file system has freed.
  ///
  /// - Throws: `keyRequired` for a store that is sealed already; `inUse` when anybody has it open; `notFound`, `corrupt`,
  ///   `full`, `io`; `unsupported` where the engine has no encryption. The store is then as it was.
  public static func encrypt(_ place: some BackendProvider, with key: some WrappingKey) throws(StorageError) {
    try place.requireEncrypting().reencrypt(from: nil, to: Encryption(key))
  }

  /// Writes a sealed store that nobody has open as a plain one. After a crash it is sealed or plain, and whole.
  ///
  /// - Throws: `notEncrypted` for a plain store; `wrongKey`; as ``encrypt(_:with:)``.
  public static func decrypt(_ place: some BackendProvider, with key: some WrappingKey) throws(StorageError) {
    try place.requireEncrypting().reencrypt(from: Encryption(key), to: nil)
  }
}
