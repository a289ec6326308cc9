public import QuarryBackend

extension StoreURL: PlacedProvider {
  /// The path of the store; nil for one in memory.
  public var storePath: String? { (provider as? any PlacedProvider)?.storePath }

  /// Calls the body with a place for a copy of the store, as its engine does.
  ///
  /// - Throws: `unsupported` where the engine names none; what the body throws.
  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    guard let provider = provider as? any ScratchProvider else {
      throw StorageError(.unsupported, "the engine names no place for a copy of the store")
    }
    return try provider.withScratch(body)
  }
}
