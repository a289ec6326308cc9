public import QuarryBackend

extension Store {
  /// Replaces the store at a place with a copy of a backup, which stays as it is.
  ///
  /// Copying the file of a backup over a store is not safe: files next to the store, such as SQLite's log, belong to the old
  /// store. This call opens and copies the backup first. Then it puts the old store aside as a whole, and the copy gets the place
  /// in one step.
  ///
  /// ```swift
  /// let done = try Store.restoreBackup("/backups/library.db", to: .sqlite(at: path), replacing: true)
  /// if let old = done.quarantine { log("the store of before is kept as \(old)") }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the backup, which ``backup(to:progress:)-swift.method`` created: of the same engine.
  ///   - place: The place of the restored store.
  ///   - replacing: Whether an existing store is put aside; if not, there must be nothing.
  ///   - encryption: The key of an encrypted backup, with which the store is opened from then on.
  /// - Returns: The place of the store that was there before.
  /// - Throws: `inUse` when something is at the place and `replacing` is false, or when the store is open anywhere. `notFound`
  ///   when there is no backup, or no folder for the store. `corrupt`, `keyRequired`, `wrongKey` for the backup; `full`, `io`;
  ///   `unsupported` for a store in memory.
  @discardableResult
  public static func restoreBackup(
    _ path: String, to place: some BackendProvider, replacing: Bool = false, encryption: Encryption? = nil
  ) throws -> RestoredBackup {
    try place.requireRestoring().restoreBackup(at: path, replacing: replacing, encryption)
  }
}
