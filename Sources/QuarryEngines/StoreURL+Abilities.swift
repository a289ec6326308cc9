public import QuarryBackend

// Every protocol of providers that not all engines have, handed to the provider of the URL's engine. A test finds the
// protocols in the sources, and fails for one that is missing here.

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

extension StoreURL: PlacedProvider {
  /// The path of the store; nil for one in memory.
  public var storePath: String? { (provider as? any PlacedProvider)?.storePath }

  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try provider.requireScratch().withScratch(body)
  }
}
