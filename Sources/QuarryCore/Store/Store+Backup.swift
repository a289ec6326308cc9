public import Foundation
import QuarryBackend

extension Store {
  /// Writes a copy of the newest committed state, which the same engine opens, while others read and write.
  ///
  /// The copy is written under another name next to its place. It gets the place in one step, when it is on the disk. Only the
  /// owner may read it. Inside a transaction, too, the committed state is copied, without the transaction's own changes.
  ///
  /// ```swift
  /// try store.backup(to: "/backups/library.db")
  /// ```
  ///
  /// - Parameters:
  ///   - path: A path where nothing exists yet: a file, for LMDB a directory.
  ///   - progress: Is given the bytes, and ends the copy when it is cancelled.
  /// - Throws: `inUse` when something is at the path, including the store itself; `notFound` when there is no folder for it.
  ///   `full` and `io`, which leave nothing behind; `unsupported` for a store in memory; `closed`. `CancellationError` when the
  ///   progress was cancelled, and nothing is left then.
  public func backup(to path: String, progress: Progress? = nil) throws {
    let backend = try backupBackend()
    guard let progress else { return try backend.backup(to: path) }
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

  /// Writes a copy of the newest committed state on a thread of its own. See ``backup(to:progress:)-swift.method``.
  ///
  /// Cancelling the task or the progress ends the copy, and leaves nothing.
  public func backup(to path: String, progress: Progress? = nil) async throws {
    let progress = progress ?? Progress(totalUnitCount: -1)
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
