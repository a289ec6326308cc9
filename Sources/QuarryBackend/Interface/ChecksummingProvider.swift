/// A provider whose stores may be without checksums, as those that older versions have made, and can be given them.
public protocol ChecksummingProvider: BackendProvider {
  /// Writes a closed plain store anew that has none, with a checksum for everything that is read of it. After a crash it
  /// is as it was or as it shall be.
  ///
  /// - Throws: `notFound`; `inUse` when anybody has it open; `keyRequired` for an encrypted one, whose seals are checksums,
  ///   too; `corrupt`, `full`, `io`. The store is then as it was.
  /// - Complexity: As writing the store anew; it takes as much room once more meanwhile.
  func addChecksums() throws(StorageError)
}

extension BackendProvider {
  /// The provider as one whose stores can be given checksums.
  ///
  /// - Parameter engine: What the error calls it.
  /// - Throws: `unsupported` when it is none.
  package func requireChecksumming(_ engine: String = "the engine") throws(StorageError) -> any ChecksummingProvider {
    if let provider = self as? any ChecksummingProvider { return provider }
    throw StorageError(.unsupported, "\(engine) has no checksums that a store could be given")
  }
}
