package import QuarryBackend
package import QuarryKeyValue
import Synchronization

/// Keeps trees in memory: copy-on-write B+trees, of which each committed state is a set of roots.
///
/// Several engines may be open on the same data (named stores); each is closed on its own.
package final class MemoryEngine: KeyValueEngine {
  package let properties: KeyValueEngineProperties
  private let store: MemoryStore
  /// The name under which the data is shared, nil for data of this engine alone.
  private let name: MemoryRegistry.Name?
  private let isReadOnly: Bool
  private let closed = Atomic(false)

  /// An engine on data of its own, empty at first.
  package convenience init(isReadOnly: Bool = false) {
    self.init(MemoryStore(), name: nil, isReadOnly: isReadOnly)
  }

  /// An engine on the data of that name, which go with the last engine of the name.
  ///
  /// - Throws: `notFound` when there are none and they are not to be made.
  package convenience init(
    named name: String, isReadOnly: Bool = false, createsIfMissing: Bool = true
  ) throws(StorageError) {
    let name = MemoryRegistry.Name(name)
    let store = try MemoryRegistry.shared.open(name, createsIfMissing: createsIfMissing && !isReadOnly)
    self.init(store, name: name, isReadOnly: isReadOnly)
  }

  private init(_ store: MemoryStore, name: MemoryRegistry.Name?, isReadOnly: Bool) {
    self.store = store
    self.name = name
    self.isReadOnly = isReadOnly
    properties = KeyValueEngineProperties(
      name: "memory", version: "1", durability: .none, sharing: .oneProcess, isReadOnly: isReadOnly,
      countsRanges: true)
  }

  deinit {
    if let name, !isClosed { MemoryRegistry.shared.close(name) }
  }

  /// Whether the engine was closed: one read of memory, done by every call of its transactions.
  @inline(__always) var isClosed: Bool { closed.load(ordering: .acquiring) }

  private func requireOpen() throws(StorageError) {
    if isClosed { throw .storeClosed }
  }

  private func requireWritable() throws(StorageError) {
    if isReadOnly { throw StorageError(.readOnly, "the memory store was opened for reading only") }
  }

  package func beginRead() throws(StorageError) -> MemoryReadTransaction {
    try requireOpen()
    return MemoryReadTransaction(self, store.state, snapshot: nil)
  }

  /// Holds the state while the body reads from it; no transaction is made.
  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try requireOpen()
    let state = store.state
    defer { withExtendedLifetime(state) {} }
    guard let value = state.trees.get(tree, key) else { return false }
    try body(value)
    return true
  }

  package func beginWrite(timeout: Double) throws(StorageError) -> MemoryWriteTransaction {
    try requireOpen()
    try requireWritable()
    if !store.enter(timeout: timeout) {
      throw StorageError(.busy, "another write transaction was open for longer than \(timeout) s")
    }
    if isClosed {
      store.leave()
      throw .storeClosed
    }
    return MemoryWriteTransaction(self, store)
  }

  package func snapshot() throws(StorageError) -> MemorySnapshot {
    try requireOpen()
    return MemorySnapshot(self, store.state)
  }

  /// - Complexity: A look at every node of the newest state.
  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    try requireOpen()
    let state = store.state
    var sum = BTree.Statistics()
    for entry in state.trees.entries { sum.add(entry.tree.statistics()) }
    return KeyValueEngineStatistics(
      bytes: sum.bytes, freeBytes: sum.freeBytes,
      details: [
        "trees": String(state.trees.entries.count), "entries": String(sum.entries), "height": String(sum.height),
        "leaves": String(sum.leaves), "innerNodes": String(sum.innerNodes), "version": state.version.description,
      ])
  }

  /// What is wrong with the trees of the newest state; nothing when they are sound.
  ///
  /// - Complexity: A look at every entry.
  package func check() throws(StorageError) -> [String] {
    try requireOpen()
    return store.state.trees.entries.flatMap { entry in entry.tree.defects().map { "tree \(entry.id), \($0)" } }
  }

  /// Closes the engine, and with it the data go.
  ///
  /// - Throws: `inUse` when the data are open under the same name elsewhere; `readOnly`.
  package func destroy() throws(StorageError) {
    try requireOpen()
    try requireWritable()
    if let name { try MemoryRegistry.shared.requireOnlyUser(of: name) }
    try close()
  }

  package func close() throws(StorageError) {
    if closed.exchange(true, ordering: .acquiringAndReleasing) { return }
    if let name { MemoryRegistry.shared.close(name) }
  }
}
