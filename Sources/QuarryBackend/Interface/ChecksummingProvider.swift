/// A provider whose stores may lack checksums, as stores of older versions do, and can be given them.
public protocol ChecksummingProvider: BackendProvider {
  /// Rewrites a closed plain store without checksums, with a checksum for everything that is read of it.
  ///
  /// After a crash it is in the old state or in the new one.
  ///
  /// - Throws: `notFound`; `inUse` when it is open anywhere; `keyRequired` for an encrypted store, whose seals are checksums,
  ///   too; `corrupt`, `full`, `io`. The store is then as it was.
  /// - Complexity: The cost of rewriting the store; meanwhile it takes as much room again.
  func addChecksums() throws(StorageError)
}

extension BackendProvider {
  /// The provider as one whose stores can be given checksums.
  ///
  /// - Parameter engine: The engine's name in the error.
  /// - Throws: `unsupported` when it is none.
  package func requireChecksumming(_ engine: String = "the engine") throws(StorageError) -> any ChecksummingProvider {
    if let provider = self as? any ChecksummingProvider { return provider }
    throw StorageError(.unsupported, "\(engine) cannot add checksums to a store")
  }
}
