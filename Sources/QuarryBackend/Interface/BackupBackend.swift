/// A backend that writes copies of itself: one whose manifest offers ``Capability/backup``.
///
/// A backend that offers it under some conditions only implements this, and refuses with
/// ``BackendManifest/require(_:)`` under the others.
public protocol BackupBackend: Backend {
  /// Writes a copy of the newest committed state.
  ///
  /// - Throws: `unsupported` where the manifest says so; `full`, `io`.
  func backup(to path: String) throws(StorageError)
}

extension Backend {
  /// The backend as one that writes copies of itself.
  ///
  /// - Throws: `unsupported` when it is none.
  public func requireBackup() throws(StorageError) -> any BackupBackend {
    if let backend = self as? any BackupBackend { return backend }
    throw manifest.refusal(of: .backup)
  }
}
