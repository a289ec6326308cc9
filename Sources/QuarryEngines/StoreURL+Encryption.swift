public import QuarryBackend

extension StoreURL: EncryptingProvider {
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try provider.requireEncrypting(engine.name).reencrypt(from: old, to: new)
  }

  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    try provider.requireEncrypting(engine.name).envelopeSlot()
  }
}

extension StoreURL: ChecksummingProvider {
  public func addChecksums() throws(StorageError) {
    try provider.requireChecksumming(engine.name).addChecksums()
  }
}
