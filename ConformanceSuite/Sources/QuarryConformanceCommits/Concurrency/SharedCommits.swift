import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// A place whose commits are said to wait for the disk, so that writers share them on every engine. It counts commits and
/// savepoints, and fails a commit, or the undoing of a savepoint, on request.
final class SharedCommits: BackendProvider {
  struct State {
    var commits = 0
    var failsCommits = false
    var failsUndoing = false
    var failsSavepoints = false
    /// With what an insertion ends the transaction, as an engine does whose disk is full.
    var insertionEnds: StorageError?
    /// The savepoints of a transaction that have begun and not ended.
    var openSavepoints = 0
    /// How many of them there were at the last commit.
    var leftSavepoints = 0
    /// Is called before a commit.
    var beforeCommit: (@Sendable () -> Void)?
  }

  private let inner: any BackendProvider
  private let state = Mutex(State())

  init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    SharedCommitsBackend(try inner.open(options), self)
  }

  func set<V: Sendable>(_ path: any WritableKeyPath<State, V> & Sendable, _ value: V) {
    state.withLock { $0[keyPath: path] = value }
  }

  func get<V: Sendable>(_ path: any KeyPath<State, V> & Sendable) -> V { state.withLock { $0[keyPath: path] } }

  fileprivate func add(_ path: WritableKeyPath<State, Int>, _ count: Int = 1) {
    state.withLock { $0[keyPath: path] += count }
  }
}

private final class SharedCommitsBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let place: SharedCommits

  init(_ backend: any Backend, _ place: SharedCommits) {
    self.place = place
    super.init(backend)
  }

  override var manifest: BackendManifest {
    var manifest = base.manifest
    manifest.durability = .powerLoss
    return manifest
  }

  override func writeHooks() -> (any TransactionHooks)? {
    place.set(\.openSavepoints, 0)
    return SharedCommitsHooks(place: place)
  }
}

private struct SharedCommitsHooks: TransactionHooks {
  let place: SharedCommits

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    if let error = place.get(\.insertionEnds) {
      base.rollback()
      throw error
    }
    try base.insert(model, rows)
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func savepoint(_ base: Writer) throws(StorageError) {
    if place.get(\.failsSavepoints) { throw StorageError(.io, "told to fail") }
    try base.savepoint()
    place.add(\.openSavepoints)
  }

  func releaseSavepoint(_ base: Writer) throws(StorageError) {
    try base.releaseSavepoint()
    place.add(\.openSavepoints, -1)
  }

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    try base.rollbackSavepoint()
    place.add(\.openSavepoints, -1)
    if place.get(\.failsUndoing) { throw StorageError(.io, "told to fail") }
  }

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    place.get(\.beforeCommit)?()
    place.add(\.commits)
    place.set(\.leftSavepoints, place.get(\.openSavepoints))
    if place.get(\.failsCommits) {
      base.rollback()
      throw StorageError(.io, "told to fail")
    }
    return try base.commit()
  }
}
