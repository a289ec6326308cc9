package import QuarryBackend
package import QuarryKeyValue
package import QuarryTree

/// Keeps trees in memory: copy-on-write B+trees, of which each committed state is a set of roots.
///
/// Several engines may be open on the same data (named stores); each is closed on its own.
package final class MemoryEngine: KeyValueEngine {
  package let properties: KeyValueEngineProperties
  private let store: TreeStore
  private let session: TreeSession
  /// The name under which the data is shared, nil for data of this engine alone.
  private let name: MemoryRegistry.Name?
  private let isReadOnly: Bool

  /// An engine on data of its own, empty at first.
  package convenience init(isReadOnly: Bool = false) {
    self.init(TreeStore(), name: nil, isReadOnly: isReadOnly)
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

  private init(_ store: TreeStore, name: MemoryRegistry.Name?, isReadOnly: Bool) {
    self.store = store
    session = TreeSession(store)
    self.name = name
    self.isReadOnly = isReadOnly
    properties = Self.properties(isReadOnly: isReadOnly)
  }

  static func properties(isReadOnly: Bool) -> KeyValueEngineProperties {
    KeyValueEngineProperties(
      name: "memory", version: "1", durability: .none, sharing: .oneProcess, isReadOnly: isReadOnly,
      countsRanges: true, keepsLent: true)
  }

  deinit {
    if let name, !session.isClosed { MemoryRegistry.shared.close(name) }
  }

  private func requireWritable() throws(StorageError) {
    if isReadOnly { throw .openedForReading }
  }

  package func beginRead() throws(StorageError) -> TreeReadTransaction { try session.beginRead() }

  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try session.withValue(tree, key, version: &version, body)
  }

  package func beginWrite(timeout: Double) throws(StorageError) -> TreeWriteTransaction {
    try session.requireOpen()
    try requireWritable()
    try session.enter(timeout: timeout)
    return TreeWriteTransaction(session, store.state, store)
  }

  package func snapshot() throws(StorageError) -> TreeSnapshot { try session.snapshot() }

  /// - Complexity: Visits every node of the newest state.
  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    try session.requireOpen()
    let state = store.state
    let figures = state.statistics()
    return KeyValueEngineStatistics(
      bytes: figures.bytes, freeBytes: figures.freeBytes, details: state.details(figures))
  }

  /// The defects in the trees of the newest state; empty when they are sound.
  ///
  /// - Complexity: Visits every entry.
  package func check() throws(StorageError) -> [String] {
    try session.requireOpen()
    return store.state.defects()
  }

  /// Closes the engine, and with it the data go.
  ///
  /// - Throws: `inUse` when the data are open under the same name elsewhere; `readOnly`.
  package func destroy() throws(StorageError) {
    try session.requireOpen()
    try requireWritable()
    if let name { try MemoryRegistry.shared.requireOnlyUser(of: name) }
    try close()
  }

  /// Closes the engine, and gives its data another name.
  ///
  /// - Throws: `inUse` when the data are open under the same name elsewhere; `readOnly`; `unsupported` for data without
  ///   a name.
  package func quarantine() throws(StorageError) -> String {
    try session.requireOpen()
    try requireWritable()
    guard let name else { throw StorageError(.unsupported, "a memory store without a name cannot be quarantined") }
    let place = try MemoryRegistry.shared.quarantine(name)
    _ = session.close()
    return place
  }

  package func close() throws(StorageError) {
    if session.close() { return }
    if let name { MemoryRegistry.shared.close(name) }
  }
}
