import Foundation
import QuarryBackend
import Synchronization

/// A committed state that is pinned by the read transaction of one connection.
///
/// SQLite cannot share a read transaction between connections, so that threads which read the snapshot take turns,
/// call by call, under `gate`. Sendable unchecked for the models, which are fixed; the connection is used under `gate`
/// only.
final class SQLiteSnapshot: BackendSnapshot, @unchecked Sendable {
  let version: CommitVersion
  let gate = NSRecursiveLock()
  private let backend: SQLiteBackend
  private let connection: SQLiteConnection
  private let models: SQLiteModels
  private let closed = Atomic<Bool>(false)

  init(
    _ backend: SQLiteBackend, _ connection: SQLiteConnection, _ models: SQLiteModels, _ version: CommitVersion
  ) {
    self.backend = backend
    self.connection = connection
    self.models = models
    self.version = version
  }

  deinit {
    close()
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  func beginRead() throws(StorageError) -> any BackendReadTransaction {
    gate.lock()
    defer { gate.unlock() }
    if backend.isClosed { throw .storeClosed }
    if isClosed { throw .snapshotClosed }
    return SQLiteReadTransaction(backend, connection, models, base: version, snapshot: self)
  }

  func close() {
    gate.lock()
    defer { gate.unlock() }
    guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    connection.endRead()
    backend.snapshots.subtract(1, ordering: .relaxed)
    backend.pool.give(connection)
    backend.emptyLargeLog()
  }
}
