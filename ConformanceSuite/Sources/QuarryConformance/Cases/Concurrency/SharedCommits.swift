import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// A place whose commits are said to wait for the disk, so that writers share them on every engine. It counts commits, and
/// fails one, or the undoing of a savepoint, when it is told to.
final class SharedCommits: BackendProvider {
  struct State {
    var commits = 0
    var failsCommits = false
    var failsUndoing = false
    var failsSavepoints = false
    /// With what an insertion ends the transaction, as an engine does whose disk is full.
    var insertionEnds: StorageError?
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

  fileprivate func add(_ path: WritableKeyPath<State, Int>) { state.withLock { $0[keyPath: path] += 1 } }
}

private final class SharedCommitsBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let place: SharedCommits

  init(_ backend: any Backend, _ place: SharedCommits) {
    self.place = place
    super.init(backend)
  }

  override var manifest: BackendManifest {
    var manifest = inner.manifest
    manifest.durability = .powerLoss
    return manifest
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    SharedCommitsWriter(try inner.beginWrite(options), place)
  }
}

private final class SharedCommitsWriter: ForwardingWriteTransaction {
  private let place: SharedCommits

  init(_ writer: any BackendWriteTransaction, _ place: SharedCommits) {
    self.place = place
    super.init(writer: writer)
  }

  override func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    if let error = place.get(\.insertionEnds) {
      super.rollback()
      throw error
    }
    try super.insert(model, rows)
  }

  override func savepoint() throws(StorageError) {
    if place.get(\.failsSavepoints) { throw StorageError(.io, "told to fail") }
    try super.savepoint()
  }

  override func rollbackSavepoint() throws(StorageError) {
    try super.rollbackSavepoint()
    if place.get(\.failsUndoing) { throw StorageError(.io, "told to fail") }
  }

  override func commit() throws(StorageError) -> CommitResult {
    place.get(\.beforeCommit)?()
    place.add(\.commits)
    if place.get(\.failsCommits) {
      super.rollback()
      throw StorageError(.io, "told to fail")
    }
    return try super.commit()
  }
}
