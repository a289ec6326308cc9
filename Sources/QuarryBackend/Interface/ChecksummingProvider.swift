/// A provider whose stores may be without checksums, as those that older versions have made, and can be given them.
public protocol ChecksummingProvider: BackendProvider {
  /// Writes a closed plain store anew, with a checksum for everything that is read of it. After a crash it is as it was or as
  /// it shall be.
  ///
  /// - Throws: `notFound`; `inUse` when anybody has it open; `keyRequired` for an encrypted one, whose seals are checksums,
  ///   too; `corrupt`, `full`, `io`. The store is then as it was.
  /// - Complexity: As writing the store anew; it takes as much room once more meanwhile.
  func addChecksums() throws(StorageError)
}
