package import QuarryBackend

/// The steps of putting a backup in the place of a store, which are the same for all engines with files.
package struct BackupRestoration {
  private let files: any FileSystem
  /// Of the store, without links.
  private let path: String
  /// Where the copy is until it gets the place.
  private var waitingPath: String { path + ".restored" }

  /// - Parameter path: Of the store, without links.
  package init(_ path: String, _ files: any FileSystem) {
    self.path = path
    self.files = files
  }

  /// - Parameters:
  ///   - backup: The engine at the path of the backup.
  ///   - remove: Removes the store at a path, as far as there is one.
  ///   - exchange: Puts aside what is at the place, while nobody has it open, and gives the copy at the path its place. It
  ///     says where the old store is; nil when there was nothing.
  package func run(
    from backup: any BackendProvider, replacing: Bool, _ encryption: Encryption?,
    remove: (_ copy: String) throws(StorageError) -> Void,
    exchange: (_ copy: String) throws(StorageError) -> String?
  ) throws(StorageError) -> RestoredBackup {
    var reading = OpenOptions()
    reading.isReadOnly = true
    reading.encryption = encryption
    let source = try backup.open(reading)
    defer { try? source.close() }
    try source.manifest.require(.backup)
    guard replacing else {
      try source.requireBackup().backup(to: path)
      return RestoredBackup()
    }
    // What a process has left that ended here.
    try remove(waitingPath)
    try source.requireBackup().backup(to: waitingPath)
    do throws(StorageError) {
      let old = try exchange(waitingPath)
      try files.syncDirectory(of: path)
      return RestoredBackup(quarantine: old)
    } catch {
      try? remove(waitingPath)
      throw error
    }
  }
}
