public import Foundation
public import QuarryBackend

extension Store {
  /// Writes a copy of the newest committed state, which the same engine opens, while others read and write.
  ///
  /// The copy is written under another name beside its place and gets the place in one step, when it is on the disk; only
  /// the owner may read it. Inside a transaction, too, it is the committed state that is copied, and not what the transaction
  /// wrote.
  ///
  /// ```swift
  /// try store.backup(to: "/backups/library.db")
  /// ```
  ///
  /// - Parameter path: Where there is nothing yet: a file, for LMDB a directory.
  /// - Throws: `inUse` when something is at the path, the store itself too; `notFound` when there is no folder for it;
  ///   `full`, `io`, and nothing is left then; `unsupported` for a store in memory; `closed`.
  public func backup(to path: String) throws(StorageError) {
    try backupBackend().backup(to: path)
  }

  /// Writes a copy of the newest committed state and says how far it is, in bytes. See ``backup(to:)-swift.method``.
  ///
  /// - Throws: `CancellationError` when the progress was cancelled, and nothing is left then; as ``backup(to:)-swift.method``.
  public func backup(to path: String, progress: Progress) throws {
    let backend = try backupBackend()
    do throws(StorageError) {
      try backend.backup(to: path) { done, total in
        progress.totalUnitCount = Int64(Swift.max(done, total))
        progress.completedUnitCount = Int64(done)
        return !progress.isCancelled
      }
    } catch {
      throw error.cause is CancellationError ? CancellationError() : error
    }
  }

  /// Writes a copy of the newest committed state, on a thread of its own. Cancelling the task ends it, and leaves nothing.
  /// See ``backup(to:)-swift.method``.
  public func backup(to path: String) async throws {
    try await backup(to: path, progress: Progress(totalUnitCount: -1))
  }

  /// Writes a copy of the newest committed state and says how far it is, on a thread of its own. Cancelling the task or the
  /// progress ends it, and leaves nothing. See ``backup(to:)-swift.method``.
  public func backup(to path: String, progress: Progress) async throws {
    try await withTaskCancellationHandler {
      try await Self.run(on: Self.readerThreads, path) { [self] path in try backup(to: path, progress: progress) }
    } onCancel: {
      progress.cancel()
    }
  }

  private func backupBackend() throws(StorageError) -> any BackupBackend {
    try checkOpen()
    try backend.manifest.require(.backup)
    return try backend.requireBackup()
  }
}
