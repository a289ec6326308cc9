package import QuarryBackend
package import QuarryKeyValue

/// The write transaction: trees of its own, which share their nodes with the state that it began with until they are
/// changed.
package final class TreeWriteTransaction: TreeTransaction, KeyValueWriteTransaction, ProbingTransaction {
  /// The version of the state that it began with.
  package var version: CommitVersion { base.version }
  private let base: TreeState
  private let committer: any TreeCommitter
  private let recorder: (any TreeRecorder)?
  @exclusivity(unchecked) private var trees: TreeSet
  @exclusivity(unchecked) private var savepoints: [Savepoint] = []
  /// Grows with each change, so that no two states of a tree have the same stamp.
  @exclusivity(unchecked) private var stamp: UInt64
  @exclusivity(unchecked) private var hasChanged = false

  private struct Savepoint {
    var trees: TreeSet
    var hasChanged: Bool
    var mark: Int
  }

  /// For the holder of the writer's turn, which the transaction gives back at its end.
  ///
  /// - Parameters:
  ///   - state: The state that the transaction begins with.
  ///   - recorder: Is told every change.
  package init(
    _ session: TreeSession, _ state: TreeState, _ committer: any TreeCommitter, recorder: (any TreeRecorder)? = nil
  ) {
    base = state
    self.committer = committer
    self.recorder = recorder
    trees = state.trees
    stamp = state.trees.entries.lazy.map(\.stamp).max() ?? 0
    super.init(session, nil)
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
  ) throws(StorageError) -> TreeCursor {
    try requireOpen()
    return TreeCursor(
      self, tree, stamp: trees.stamp(tree), trees.tree(tree).cursor(in: range, descending: descending))
  }

  override func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireOpen()
    if trees.stamp(tree) != stamp { throw .cursorEnded }
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
  ///
  /// A change is recorded first, because its bytes may be lent from the tree itself. It is dropped from the record again when
  /// nothing was changed.
  @inline(__always)
  private func change<R>(
    _ tree: TreeID, _ record: (any TreeRecorder) -> Void,
    _ body: (inout BTree) throws(StorageError) -> (result: R, hasChanged: Bool)
  ) throws(StorageError) -> R {
    try requireOpen()
    let mark = recorder?.mark ?? 0
    if let recorder { record(recorder) }
    var hasChanged = false
    defer { if !hasChanged { recorder?.rollBack(to: mark) } }
    return try trees.change(tree) { entry throws(StorageError) in
      let result: R
      (result, hasChanged) = try body(&entry.tree)
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
    try change(tree) {
      $0.put(tree, key, value)
    } _: { tree throws(StorageError) in
      (try tree.put(key, value), true)
    }
  }

  package func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try change(tree) {
      $0.put(tree, key, value)
    } _: { tree throws(StorageError) in
      let isStored = try tree.insert(key, value)
      return (isStored, isStored)
    }
  }

  package func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try change(tree) {
      $0.delete(tree, key)
    } _: { tree throws(StorageError) in
      let isRemoved = tree.remove(key)
      return (isRemoved, isRemoved)
    }
  }

  package func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try change(tree) {
      $0.delete(tree, in: range)
    } _: { tree throws(StorageError) in
      let removed = tree.remove(in: range)
      return (removed, removed > 0)
    }
  }

  // MARK: Savepoints

  package func savepoint() throws(StorageError) {
    try requireOpen()
    savepoints.append(Savepoint(trees: trees, hasChanged: hasChanged, mark: recorder?.mark ?? 0))
  }

  package func releaseSavepoint() throws(StorageError) {
    try requireOpen()
    if savepoints.popLast() == nil { throw .noSavepoint }
  }

  package func rollbackSavepoint() throws(StorageError) {
    try requireOpen()
    guard let kept = savepoints.popLast() else { throw .noSavepoint }
    let undone = trees
    trees = kept.trees
    stamp &+= 1
    trees.restamp(differingFrom: undone, stamp)
    hasChanged = kept.hasChanged
    recorder?.rollBack(to: kept.mark)
  }

  // MARK: End

  /// - Returns: The version of the new state, or of the old one when nothing was changed.
  package func commit() throws(StorageError) -> CommitVersion {
    do throws(StorageError) {
      try requireOpen()
    } catch {
      end()
      throw error
    }
    let trees = trees
    finish()
    if !hasChanged {
      try committer.commitUnchanged(base)
      return base.version
    }
    let state = TreeState(version: CommitVersion(base.version.rawValue &+ 1), trees: trees)
    try committer.commit(state, recorder)
    return state.version
  }

  package func end() {
    if hasEnded { return }
    finish()
    committer.rollBack()
  }

  private func finish() {
    hasEnded = true
    savepoints = []
    trees = TreeSet()
  }
}
