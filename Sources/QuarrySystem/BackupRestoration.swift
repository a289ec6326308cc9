package import QuarryBackend

/// The steps of putting a backup in the place of a store, which are the same for all engines with files.
package struct BackupRestoration {
  private let files: any FileSystem
  /// Of the store, without links.
  private let path: String

  /// - Parameter path: Of the store, without links.
  package init(_ path: String, _ files: any FileSystem) {
    self.path = path
    self.files = files
  }

  /// - Parameters:
  ///   - backup: The engine at the path of the backup.
  ///   - name: A UUID.
  ///   - exchange: Puts aside the content of the place, while it is not open anywhere, and moves the copy at the path into its
  ///     place. It returns the path of the old store; nil when there was nothing.
  package func run(
    from backup: any BackendProvider, replacing: Bool, _ encryption: Encryption?, _ name: String,
    exchange: (_ copy: String) throws(StorageError) -> String?
  ) throws(StorageError) -> RestoredBackup {
    var reading = OpenOptions()
    reading.isReadOnly = true
    reading.encryption = encryption
    let source = try backup.open(reading)
    defer { try? source.close() }
    try source.manifest.require(.backup)
    let backup = try source.requireBackup()
    guard replacing else {
      try backup.backup(to: path)
      return RestoredBackup()
    }
    do {
      // A process that ends here leaves the folder; the next use of a folder next to the store removes it.
      return try ScratchPlace.with(beside: path, name) { copy in
        try backup.backup(to: copy)
        let old = try exchange(copy)
        try files.syncDirectory(of: path)
        return RestoredBackup(quarantine: old)
      }
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.io, "\(path) was not restored: \(error)", cause: error)
    }
  }
}
