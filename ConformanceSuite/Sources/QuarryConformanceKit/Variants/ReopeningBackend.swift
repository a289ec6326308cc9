import QuarryBackend
import Synchronization

/// A backend that closes the one underneath and opens it again before each transaction, if none is open.
final class ReopeningBackend: CompactingBackend, BackupBackend, QuarantiningBackend {
  private struct State {
    /// Nil after it could not be opened again.
    var backend: (any Backend)?
    /// Transactions and snapshots that are open.
    var users = 0
    var isClosed = false
  }

  let manifest: BackendManifest
  /// That of the first opening.
  let openingReport: OpeningReport
  private let place: any BackendProvider
  private let options: OpenOptions
  private let state: Mutex<State>

  init(_ place: any BackendProvider, _ options: OpenOptions) throws(StorageError) {
    let backend = try place.open(options)
    self.place = place
    manifest = backend.manifest
    openingReport = backend.openingReport
    var again = options
    // What was there when it was opened is there, or lost.
    again.createsIfMissing = false
    self.options = again
    state = Mutex(State(backend: backend))
  }

  /// The backend, opened anew if nobody uses it. The caller is a user of it until ``leave()``.
  private func enter() throws(StorageError) -> any Backend {
    let result: Result<any Backend, StorageError> = state.withLock { state in
      do throws(StorageError) {
        guard !state.isClosed else { throw StorageError(.closed, "the store was closed") }
        if state.users == 0 {
          try state.backend?.close()
          state.backend = nil
          state.backend = try place.open(options)
        }
        guard let backend = state.backend else { throw StorageError(.io, "the store could not be opened again") }
        state.users += 1
        return .success(backend)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func leave() {
    state.withLock { $0.users -= 1 }
  }

  private func using<R>(_ body: (any Backend) throws(StorageError) -> R) throws(StorageError) -> R {
    let backend = try enter()
    defer { leave() }
    return try body(backend)
  }

  func beginRead() throws(StorageError) -> any BackendReadTransaction {
    let backend = try enter()
    do throws(StorageError) {
      return ReaderLayer(try backend.beginRead(), EndHooks { [self] in leave() })
    } catch {
      leave()
      throw error
    }
  }

  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let backend = try enter()
    do throws(StorageError) {
      return WriterLayer(try backend.beginWrite(options), EndHooks { [self] in leave() })
    } catch {
      leave()
      throw error
    }
  }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try using { backend throws(StorageError) in try backend.withRow(model, key, body) }
  }

  func snapshot() throws(StorageError) -> any BackendSnapshot {
    let backend = try enter()
    do throws(StorageError) {
      return ReopeningSnapshot(try backend.snapshot()) { [self] in leave() }
    } catch {
      leave()
      throw error
    }
  }

  func compact() throws(StorageError) {
    try using { backend throws(StorageError) in try backend.requireCompacting().compact() }
  }

  func space() throws(StorageError) -> (bytes: Int, freeBytes: Int)? {
    try using { backend throws(StorageError) in try (backend as? any CompactingBackend)?.space() }
  }

  func quarantine() throws(StorageError) -> String {
    guard let backend = state.withLock({ $0.isClosed ? nil : $0.backend }) else {
      throw StorageError(.closed, "the store was closed")
    }
    let place = try backend.requireQuarantining().quarantine()
    state.withLock { $0.isClosed = true }
    return place
  }

  func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try using { backend throws(StorageError) in try backend.requireBackup().backup(to: path, progress: progress) }
  }

  func check() throws(StorageError) -> [String] { try using { backend throws(StorageError) in try backend.check() } }

  func statistics() throws(StorageError) -> BackendStatistics {
    try using { backend throws(StorageError) in try backend.statistics() }
  }

  /// The backend for a call that ends its use; nil when it is closed already.
  private func last() -> (any Backend)? {
    state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed ? nil : state.backend
    }
  }

  func destroy() throws(StorageError) {
    guard let backend = state.withLock({ $0.isClosed ? nil : $0.backend }) else {
      throw StorageError(.closed, "the store was closed")
    }
    try backend.destroy()
    state.withLock { $0.isClosed = true }
  }

  func close() throws(StorageError) { try last()?.close() }
}

/// A snapshot that says once that it was let go.
private final class ReopeningSnapshot: BackendSnapshot {
  private let snapshot: any BackendSnapshot
  private let onClose: @Sendable () -> Void
  private let isClosed = Atomic(false)

  init(_ snapshot: any BackendSnapshot, onClose: @escaping @Sendable () -> Void) {
    self.snapshot = snapshot
    self.onClose = onClose
  }

  deinit { close() }

  var version: CommitVersion { snapshot.version }

  func beginRead() throws(StorageError) -> any BackendReadTransaction { try snapshot.beginRead() }

  func close() {
    snapshot.close()
    if !isClosed.exchange(true, ordering: .sequentiallyConsistent) { onClose() }
  }
}
