package import QuarryBackend
package import QuarryKeyValue
package import QuarryTree

/// Trees in memory with many writers, which do not wait for each other: see ``ManyWriterStore``.
package final class ManyWriterEngine: KeyValueEngine {
  package let properties = KeyValueEngineProperties(
    name: "many", version: "1", durability: .none, sharing: .oneProcess, isReadOnly: false, countsRanges: true)
  private let store: ManyWriterStore
  private let session: TreeSession

  init(_ store: ManyWriterStore) {
    self.store = store
    session = TreeSession(store.trees)
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
    try close()
  }

  package func close() throws(StorageError) { _ = session.close() }
}
