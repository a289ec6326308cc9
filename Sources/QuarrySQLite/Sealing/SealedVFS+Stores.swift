import QuarryBackend

extension SealedVFS {
  /// The files of the store at a path, or of one that is made there.
  ///
  /// - Returns: Nil where there is none, and none may be made.
  /// - Throws: `notEncrypted`, `wrongKey`, `corrupt`, `schemaTooNew`; the file is as it was.
  static func forStore(
    at file: SQLiteFile, _ encryption: Encryption, makes: Bool, syncsLogSlots: Bool = true
  ) throws(StorageError) -> SealedVFS? {
    if let header = try file.sealedHeader() {
      guard let slot = header.envelope.slot else { throw StorageError(.corrupt, "the key of \(file.path) is damaged") }
      let keys = try SealedKeys(try header.envelope.unlock(with: encryption), slot)
      return try SealedVFS(encryption, keys, syncsLogSlots: syncsLogSlots)
    }
    guard makes else { return nil }
    let keys = try SealedKeys.make(encryption)
    return try SealedVFS(encryption, keys, making: try keys.newHeader(isWhole: false), syncsLogSlots: syncsLogSlots)
  }

  /// The files of a copy of the store, which has the store's data key and the slot that its file has now: the same key opens the
  /// store and the copy.
  func forCopy(of database: SealedDatabase, _ name: String) throws(StorageError) -> SealedVFS {
    guard let slot = try database.header(of: name).envelope.slot else {
      throw StorageError(.corrupt, "the key of \(name) is damaged")
    }
    let keys = try SealedKeys(database.keys.dataKey, slot)
    return try SealedVFS(encryption, keys, making: try keys.newHeader(isWhole: true), syncsLogSlots: false)
  }
}
