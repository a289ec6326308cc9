package import QuarryBackend
package import QuarryCore
import QuarryKeyValue
import Synchronization

/// A store on an engine of ordered trees, and its entries, which a case changes behind the store's back: as damage that no
/// checksum shows.
package struct TreeScene {
  /// The store, of which nothing is open when an entry is changed.
  package let store: Store
  private let backend: any EngineBackend

  /// Makes a store; nil where the engine is of another kind.
  ///
  /// - Parameters:
  ///   - kit: The running case.
  ///   - models: The models of the store.
  package init?(_ kit: ConformanceContext, _ models: any Model.Type...) throws {
    let place = KeptPlace(kit.undecorated(try kit.makePlace()))
    store = try kit.open(models, at: place)
    guard let backend = place.backend as? any EngineBackend else { return nil }
    self.backend = backend
  }

  /// The entries of a tree, in their order.
  ///
  /// - Parameter tree: The number of a model, for its rows by their keys, or of an index.
  package func entries(_ tree: UInt32) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
    func entries(of backend: some EngineBackend) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
      let transaction = try backend.engine.beginRead()
      defer { transaction.end() }
      var cursor = try transaction.cursor(tree, .all, descending: false)
      var found: [(key: [UInt8], value: [UInt8])] = []
      while let (key, value) = try cursor.next() { found.append((Array(key), Array(value))) }
      return found
    }
    return try entries(of: backend)
  }

  /// Gives a key of a tree a value, in a commit of its own; nil to remove the key.
  package func set(_ tree: UInt32, _ key: [UInt8], to value: [UInt8]?) throws(StorageError) {
    func set(in backend: some EngineBackend) throws(StorageError) {
      let transaction = try backend.engine.beginWrite(timeout: 5)
      do throws(StorageError) {
        try key.withBytes { key throws(StorageError) in
          if let value {
            try value.withBytes { value throws(StorageError) in _ = try transaction.put(tree, key, value) }
          } else {
            _ = try transaction.delete(tree, key)
          }
        }
        _ = try transaction.commit()
      } catch {
        transaction.end()
        throw error
      }
    }
    try set(in: backend)
  }
}

/// Keeps the backend that was opened last.
package final class KeptPlace: BackendProvider {
  private let inner: any BackendProvider
  private let kept = Mutex<(any Backend)?>(nil)

  package init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  package var backend: (any Backend)? { kept.withLock { $0 } }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try inner.open(options)
    kept.withLock { $0 = backend }
    return backend
  }
}

/// A place whose engine of ordered trees says that it takes less than it does, or counts wrongly.
package final class TwistedTrees: BackendProvider {
  /// What is different of the engine.
  package struct Twist: Sendable {
    /// Bytes of the longest key; nil for what the engine says.
    package var keyBytes: Int?
    /// Bytes of the longest value; nil for what the engine says.
    package var valueBytes: Int?
    /// How many entries each range has more by its count than there are.
    package var excess: Int

    package init(keyBytes: Int? = nil, valueBytes: Int? = nil, excess: Int = 0) {
      self.keyBytes = keyBytes
      self.valueBytes = valueBytes
      self.excess = excess
    }
  }

  private let inner: any BackendProvider
  private let twist: Twist
  private let seen = Atomic(false)
  /// Whether what was opened last stands on an engine of ordered trees: another is as it is.
  package var isTwisted: Bool { seen.load(ordering: .sequentiallyConsistent) }

  package init(_ inner: any BackendProvider, _ twist: Twist) {
    self.inner = inner
    self.twist = twist
  }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try inner.open(options)
    guard let engine = backend as? any EngineBackend else { return backend }
    seen.store(true, ordering: .sequentiallyConsistent)
    return try twisted(engine, options)
  }

  private func twisted(
    _ backend: some EngineBackend, _ options: OpenOptions
  ) throws(StorageError) -> any Backend {
    do throws(StorageError) {
      return try KeyValueBackend(TwistedEngine(backend.engine, twist), options: options)
    } catch {
      try? backend.close()
      throw error
    }
  }
}

private final class TwistedEngine<Base: KeyValueEngine>: KeyValueEngine {
  typealias ReadTransaction = TwistedTransaction<Base.ReadTransaction>
  typealias WriteTransaction = TwistedWriteTransaction<Base.WriteTransaction>
  typealias Snapshot = TwistedSnapshot<Base.Snapshot>

  private let base: Base
  private let twist: TwistedTrees.Twist

  init(_ base: Base, _ twist: TwistedTrees.Twist) {
    self.base = base
    self.twist = twist
  }

  var properties: KeyValueEngineProperties {
    var properties = base.properties
    // An engine may take less by itself.
    properties.maximumKeyBytes = [twist.keyBytes, properties.maximumKeyBytes].compactMap(\.self).min()
    properties.maximumValueBytes = [twist.valueBytes, properties.maximumValueBytes].compactMap(\.self).min()
    return properties
  }

  func beginRead() throws(StorageError) -> ReadTransaction { TwistedTransaction(try base.beginRead(), twist.excess) }
  func beginWrite(timeout: Double) throws(StorageError) -> WriteTransaction {
    TwistedWriteTransaction(try base.beginWrite(timeout: timeout), twist.excess)
  }
  func snapshot() throws(StorageError) -> Snapshot { TwistedSnapshot(try base.snapshot(), twist.excess) }
  func statistics() throws(StorageError) -> KeyValueEngineStatistics { try base.statistics() }
  func check() throws(StorageError) -> [String] { try base.check() }
  func destroy() throws(StorageError) { try base.destroy() }
  func close() throws(StorageError) { try base.close() }
}

private final class TwistedSnapshot<Base: KeyValueSnapshot>: KeyValueSnapshot {
  private let base: Base
  private let excess: Int

  init(_ base: Base, _ excess: Int) {
    self.base = base
    self.excess = excess
  }

  var version: CommitVersion { base.version }
  func beginRead() throws(StorageError) -> TwistedTransaction<Base.ReadTransaction> {
    TwistedTransaction(try base.beginRead(), excess)
  }
  func close() { base.close() }
}

private class TwistedTransaction<Base: KeyValueReadTransaction>: KeyValueReadTransaction {
  final let base: Base
  private let excess: Int

  init(_ base: Base, _ excess: Int) {
    self.base = base
    self.excess = excess
  }

  var version: CommitVersion { base.version }
  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try base.get(tree, key)
  }
  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> Base.Cursor {
    try base.cursor(tree, range, descending: descending)
  }
  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int { try base.count(tree, range) + excess }
  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics { try base.statistics(of: tree) }
  func end() { base.end() }
}

private final class TwistedWriteTransaction<Base: KeyValueWriteTransaction>: TwistedTransaction<Base>,
  KeyValueWriteTransaction
{
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool { try base.put(tree, key, value) }
  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool { try base.insert(tree, key, value) }
  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try base.delete(tree, key)
  }
  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int { try base.delete(tree, in: range) }
  func savepoint() throws(StorageError) { try base.savepoint() }
  func releaseSavepoint() throws(StorageError) { try base.releaseSavepoint() }
  func rollbackSavepoint() throws(StorageError) { try base.rollbackSavepoint() }
  func commit() throws(StorageError) -> CommitVersion { try base.commit() }
}
