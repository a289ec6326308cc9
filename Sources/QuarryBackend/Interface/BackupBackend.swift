/// Receives the bytes that a backup has written and the estimated total; returns false to cancel.
public typealias BackupProgress = (_ done: Int, _ total: Int) -> Bool

/// A backend that writes copies of itself: one whose manifest offers ``Capability/backup``.
///
/// A backend that offers it under some conditions only implements this, and refuses with
/// ``BackendManifest/require(_:)`` under the others.
public protocol BackupBackend: Backend {
  /// Writes a copy of the newest committed state, while others read and write.
  ///
  /// The copy is written under another name next to its place, for its owner alone, and is renamed to the place in one step when
  /// it is on the disk. A call that throws leaves nothing.
  ///
  /// - Parameters:
  ///   - path: A path where nothing exists yet. The same engine opens the copy there.
  ///   - progress: Is called from time to time with the bytes written and the estimated total; false cancels the backup.
  /// - Throws: `closed`; `inUse` when something is at the path, the store itself or a file of it too; `notFound` when there is no
  ///   folder for it; `invalidValue`, `limitExceeded` for a path that cannot be one; `unsupported` where the manifest says so;
  ///   `full`, `io`; ``StorageError/backupCancelled`` when it is cancelled.
  /// - Complexity: Reads and writes the whole store once.
  func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError)
}

extension BackupBackend {
  /// Writes a copy of the newest committed state without reporting progress.
  ///
  /// - Throws: As ``backup(to:progress:)``.
  public func backup(to path: String) throws(StorageError) {
    try backup(to: path, progress: { _, _ in true })
  }
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

extension StorageError {
  /// The error of a backup that was cancelled.
  ///
  /// Its cause is a `CancellationError`, which callers of a store receive.
  public static var backupCancelled: StorageError {
    StorageError(.io, "the backup was cancelled", cause: CancellationError())
  }
}
