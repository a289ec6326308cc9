package import QuarryBackend
package import QuarryKeyValue
package import QuarryTree

/// Trees in memory with many writers, which do not wait for each other: see ``ManyWriterStore``.
package final class ManyWriterEngine: KeyValueEngine {
  package let properties: KeyValueEngineProperties
  private let store: ManyWriterStore
  private let session: TreeSession

  /// - Throws: `notFound` when the store has never been opened for writing, and is not to be made.
  init(_ store: ManyWriterStore, isReadOnly: Bool, createsIfMissing: Bool) throws(StorageError) {
    try store.open(createsIfMissing: createsIfMissing && !isReadOnly)
    self.store = store
    session = TreeSession(store.trees)
    properties = Self.properties(isReadOnly: isReadOnly)
  }

  deinit {
    if !session.isClosed { store.close() }
  }

  static func properties(isReadOnly: Bool) -> KeyValueEngineProperties {
    KeyValueEngineProperties(
      name: "many-writers", version: "1", durability: .none, sharing: .oneProcess, isReadOnly: isReadOnly,
      countsRanges: true)
  }

  package func beginRead() throws(StorageError) -> TreeReadTransaction { try session.beginRead() }

  package func withValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, version: inout CommitVersion,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try session.withValue(tree, key, version: &version, body)
  }

  package func beginWrite(timeout: Double) throws(StorageError) -> ManyWriterTransaction {
    try session.requireOpen()
    try requireWritable()
    return ManyWriterTransaction(session, store)
  }

  package func snapshot() throws(StorageError) -> TreeSnapshot { try session.snapshot() }

  package func statistics() throws(StorageError) -> KeyValueEngineStatistics {
    try session.requireOpen()
    return KeyValueEngineStatistics()
  }

  package func check() throws(StorageError) -> [String] {
    try session.requireOpen()
    return store.trees.state.defects()
  }

  package func destroy() throws(StorageError) {
    try session.requireOpen()
    try requireWritable()
    try store.destroy()
    try close()
  }

  package func close() throws(StorageError) {
    if !session.close() { store.close() }
  }

  private func requireWritable() throws(StorageError) {
    if properties.isReadOnly { throw StorageError(.readOnly, "the store was opened for reading") }
  }
}
