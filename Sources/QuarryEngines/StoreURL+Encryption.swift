public import QuarryBackend

extension StoreURL: EncryptingProvider {
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try encrypting().reencrypt(from: old, to: new)
  }

  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    try encrypting().envelopeSlot()
  }

  private func encrypting() throws(StorageError) -> any EncryptingProvider {
    if let provider = provider as? any EncryptingProvider { return provider }
    throw .unsupported(.openEncryption, "\(engine.name) does not encrypt")
  }
}
