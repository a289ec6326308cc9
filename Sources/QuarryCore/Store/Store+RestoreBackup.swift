public import QuarryBackend

extension Store {
  /// Makes the store at a place a copy of a backup, which stays as it is.
  ///
  /// Copying the file of a backup over a store is not safe: what lies beside the store, such as SQLite's log, belongs to the
  /// old one. Here the backup is opened and copied first; then the old store is put aside as a whole, and the copy gets the
  /// place in one step.
  ///
  /// ```swift
  /// let done = try Store.restoreBackup("/backups/library.db", to: .sqlite(at: path), replacing: true)
  /// if let old = done.quarantine { log("the store of before is kept as \(old)") }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The backup's, which ``backup(to:)-swift.method`` made: of the same engine.
  ///   - place: Where the store is to be.
  ///   - replacing: Whether a store that is there is put aside; if not, there must be nothing.
  ///   - encryption: The key of an encrypted backup, with which the store is opened from then on.
  /// - Returns: Where the store is that was there before.
  /// - Throws: `inUse` when something is at the place and `replacing` is false, or anybody has it open; `notFound` when there
  ///   is no backup, or no folder for the store; `corrupt`, `keyRequired`, `wrongKey` for the backup; `full`, `io`;
  ///   `unsupported` for a store in memory.
  @discardableResult
  public static func restoreBackup(
    _ path: String, to place: some BackendProvider, replacing: Bool = false, encryption: Encryption? = nil
  ) throws(StorageError) -> RestoredBackup {
    try place.requireRestoring().restoreBackup(at: path, replacing: replacing, encryption)
  }
}
