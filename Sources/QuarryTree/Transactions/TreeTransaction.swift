package import QuarryBackend
package import QuarryKeyValue

/// The common part of read and write transactions, which their cursors use.
package class TreeTransaction {
  private let session: TreeSession
  /// The snapshot that is read, where it is one.
  private let snapshot: TreeSnapshot?
  // Transactions are used by one thread at a time, which the layer above sees to; exclusive access need not be checked
  // once more for each row.
  @exclusivity(unchecked) final var hasEnded = false

  init(_ session: TreeSession, _ snapshot: TreeSnapshot?) {
    self.session = session
    self.snapshot = snapshot
  }

  @inline(__always)
  final func requireOpen() throws(StorageError) {
    try session.requireOpen()
    if let snapshot, snapshot.isClosed { throw .snapshotClosed }
    if hasEnded { throw .ended }
  }

  /// Throws unless the tree is as it was when the cursor was made.
  func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireOpen()
  }
}

/// Reads one committed state: holds it, and so every node that it refers to.
package final class TreeReadTransaction: TreeTransaction, ProbingTransaction {
  package let version: CommitVersion
  @exclusivity(unchecked) private var state: TreeState?

  init(_ session: TreeSession, _ state: TreeState, snapshot: TreeSnapshot?) {
    self.state = state
    version = state.version
    super.init(session, snapshot)
  }

  @inline(__always)
  private func open() throws(StorageError) -> TreeState {
    try requireOpen()
    guard let state else { throw .ended }
    return state
  }

  package func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try open().trees.get(tree, key)
  }

  package func cursor(
    _ tree: TreeID, _ range: KeyRange, descending: Bool
  ) throws(StorageError) -> TreeCursor {
    TreeCursor(
      self, tree, stamp: 0, try open().trees.tree(tree).cursor(in: range, descending: descending))
  }

  package func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try open().trees.tree(tree).count(in: range)
  }

  package func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    let figures = try open().trees.tree(tree).statistics()
    return KeyValueTreeStatistics(entries: figures.entries, bytes: figures.bytes)
  }

  package func end() {
    hasEnded = true
    state = nil
  }
}
