package import QuarryBackend
package import QuarryKeyValue

/// The write transaction: trees of its own, which share their nodes with the committed state until they are changed.
package final class MemoryWriteTransaction: MemoryTransaction, KeyValueWriteTransaction {
  /// The version of the state that it began with.
  package let version: CommitVersion
  private let store: MemoryStore
  @exclusivity(unchecked) private var trees: MemoryTrees
  @exclusivity(unchecked) private var savepoints: [MemoryTrees] = []
  /// Grows with each change, so that no two states of a tree have the same stamp.
  @exclusivity(unchecked) private var stamp: UInt64
  /// Grows with each savepoint that is rolled back.
  @exclusivity(unchecked) private var epoch: UInt64 = 0
  @exclusivity(unchecked) private var hasChanged = false

  /// For the holder of the store's gate, which the transaction gives back at its end.
  init(_ engine: MemoryEngine, _ store: MemoryStore) {
    let state = store.state
    self.store = store
    version = state.version
    trees = state.trees
    stamp = state.trees.entries.lazy.map(\.stamp).max() ?? 0
    super.init(engine, nil)
  }

  deinit {
    end()
  }

  package func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try requireOpen()
    return trees.get(tree, key)
  }

  package func cursor(
    _ tree: TreeID, _ range: KeyRange, descending: Bool
  ) throws(StorageError) -> MemoryCursor {
    try requireOpen()
    return MemoryCursor(
      self, tree, stamp: trees.stamp(tree), epoch: epoch,
      trees.tree(tree).cursor(in: range, descending: descending))
  }

  override func checkCursor(of tree: TreeID, stamp: UInt64, epoch: UInt64) throws(StorageError) {
    try requireOpen()
    if trees.stamp(tree) != stamp || self.epoch != epoch { throw .cursorEnded }
  }

  package func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try requireOpen()
    return trees.tree(tree).count(in: range)
  }

  package func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try requireOpen()
    let figures = trees.tree(tree).statistics()
    return KeyValueTreeStatistics(entries: figures.entries, bytes: figures.bytes)
  }

  // MARK: Changes

  /// Changes a tree, and stamps it when something was changed.
  @inline(__always)
  private func change<R>(
    _ tree: TreeID, _ body: (inout BTree) throws(StorageError) -> (result: R, hasChanged: Bool)
  ) throws(StorageError) -> R {
    try requireOpen()
    return try trees.change(tree) { entry throws(StorageError) in
      let (result, hasChanged) = try body(&entry.tree)
      if hasChanged {
        stamp &+= 1
        entry.stamp = stamp
        self.hasChanged = true
      }
      return result
    }
  }

  @discardableResult
  package func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try change(tree) { tree throws(StorageError) in (try tree.put(key, value), true) }
  }

  package func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try change(tree) { tree throws(StorageError) in
      let isStored = try tree.insert(key, value)
      return (isStored, isStored)
    }
  }

  package func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try change(tree) { tree throws(StorageError) in
      let isRemoved = tree.remove(key)
      return (isRemoved, isRemoved)
    }
  }

  package func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try change(tree) { tree throws(StorageError) in
      let removed = tree.remove(in: range)
      return (removed, removed > 0)
    }
  }

  // MARK: Savepoints

  package func savepoint() throws(StorageError) {
    try requireOpen()
    savepoints.append(trees)
  }

  package func releaseSavepoint() throws(StorageError) {
    try requireOpen()
    if savepoints.popLast() == nil { throw .noSavepoint }
  }

  package func rollbackSavepoint() throws(StorageError) {
    try requireOpen()
    guard let kept = savepoints.popLast() else { throw .noSavepoint }
    trees = kept
    epoch &+= 1
  }

  // MARK: End

  /// - Returns: The version of the new state, or of the old one when nothing was changed.
  package func commit() throws(StorageError) -> CommitVersion {
    defer { end() }
    try requireOpen()
    if !hasChanged { return version }
    let committed = CommitVersion(version.rawValue &+ 1)
    store.publish(MemoryState(version: committed, trees: trees))
    return committed
  }

  package func end() {
    if hasEnded { return }
    hasEnded = true
    savepoints = []
    trees = MemoryTrees()
    store.leave()
  }
}
