import Foundation
public import QuarryBackend
public import QuarryKeyValue
import QuarrySealed
import Synchronization

/// An engine whose trees are sorted arrays, kept in memory: a state is a value, so that a snapshot, a savepoint and a
/// reader each keep one. Writing costs O(n); it is an example of what an engine has to do, not of how to be quick.
public final class SortedEngine: KeyValueEngine {
  public let properties: KeyValueEngineProperties
  /// The newest committed state; nil once the engine was closed.
  private let newest = Mutex<SortedState?>(SortedState())
  /// One token, which the writer holds. A writer may end on another thread, so that this is no lock.
  private let writer = DispatchSemaphore(value: 1)

  public init(isReadOnly: Bool = false) {
    properties = KeyValueEngineProperties(
      name: "sorted", version: "1", durability: .none, sharing: .oneProcess, isReadOnly: isReadOnly,
      countsRanges: true, encrypts: true)
  }

  private static let isClosed = StorageError.storeClosed

  func state() throws(StorageError) -> SortedState {
    guard let state = newest.withLock({ $0 }) else { throw Self.isClosed }
    return state
  }

  func publish(_ state: SortedState) throws(StorageError) {
    let old = newest.withLock { newest in
      let old = newest
      if old != nil { newest = state }
      return old
    }
    if old == nil { throw Self.isClosed }
  }

  func letNextWriterIn() {
    writer.signal()
  }

  public func beginRead() throws(StorageError) -> SortedTransaction {
    SortedTransaction(self, try state(), isWriting: false)
  }

  public func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    guard let entry = try state().find(tree, key).entry else { return false }
    try withExtendedLifetime(entry) { () throws(StorageError) in try body(entry.value) }
    return true
  }

  public func beginWrite(timeout: Double) throws(StorageError) -> SortedTransaction {
    _ = try state()
    guard writer.wait(timeout: .now() + max(0, timeout)) == .success else {
      throw StorageError(.busy, "another writer held the store for \(timeout) s")
    }
    do throws(StorageError) {
      return SortedTransaction(self, try state(), isWriting: true)
    } catch {
      letNextWriterIn()
      throw error
    }
  }

  public func snapshot() throws(StorageError) -> SortedSnapshot { SortedSnapshot(self, try state()) }

  public func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    KeyValueEngineStatistics(details: ["trees": String(try state().trees.count)])
  }

  public func check() throws(StorageError) -> [String] {
    try state().trees.filter { _, entries in
      zip(entries, entries.dropFirst()).contains { !$0.key.lexicographicallyPrecedes($1.key) }
    }.map { "tree \($0.key) is not sorted" }
  }

  public func destroy() throws(StorageError) {
    _ = try state()
    try close()
  }

  public func close() throws(StorageError) {
    newest.withLock { $0 = nil }
  }
}

/// A state that is kept until it is closed.
public final class SortedSnapshot: KeyValueSnapshot {
  private let engine: SortedEngine
  private let state: SortedState
  private let isClosed = Atomic(false)

  init(_ engine: SortedEngine, _ state: SortedState) {
    self.engine = engine
    self.state = state
  }

  public var version: CommitVersion { CommitVersion(state.version) }

  public func beginRead() throws(StorageError) -> SortedTransaction {
    _ = try engine.state()
    if isClosed.load(ordering: .relaxed) { throw StorageError.snapshotClosed }
    return SortedTransaction(engine, state, isWriting: false)
  }

  public func close() {
    isClosed.store(true, ordering: .relaxed)
  }
}

/// Opens stores on sorted arrays.
public struct SortedProvider: BackendProvider {
  public init() {}

  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let engine = SortedEngine(isReadOnly: options.isReadOnly)
    guard let encryption = options.encryption else { return try KeyValueBackend(engine, options: options) }
    return try KeyValueBackend(SealedEngine(engine, encryption: encryption), options: options)
  }
}
