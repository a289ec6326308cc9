package import QuarryBackend
package import QuarryKeyValue
package import QuarryTree

/// A write transaction that notes what it reads and changes.
package final class ManyWriterTransaction: KeyValueWriteTransaction {
  private let base: TreeWriteTransaction
  private let commitment: Commitment

  init(_ session: TreeSession, _ store: ManyWriterStore) {
    let state = store.begin()
    commitment = Commitment(store, state.version)
    base = TreeWriteTransaction(session, state, commitment, recorder: commitment)
    // The schema, which the backend may know without reading it.
    commitment.footprint.add(0, .all)
  }

  package var version: CommitVersion { base.version }

  package func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    commitment.footprint.add(tree, key)
    return try base.get(tree, key)
  }

  package func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> TreeCursor {
    commitment.footprint.add(tree, range)
    return try base.cursor(tree, range, descending: descending)
  }

  package func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    commitment.footprint.add(tree, range)
    return try base.count(tree, range)
  }

  package func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    commitment.footprint.add(tree, .all)
    return try base.statistics(of: tree)
  }

  // The results of writes say what was there, so that each is a read, too.

  @discardableResult
  package func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    commitment.footprint.add(tree, key)
    return try base.put(tree, key, value)
  }

  package func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    commitment.footprint.add(tree, key)
    return try base.insert(tree, key, value)
  }

  @discardableResult
  package func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    commitment.footprint.add(tree, key)
    return try base.delete(tree, key)
  }

  @discardableResult
  package func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    commitment.footprint.add(tree, range)
    return try base.delete(tree, in: range)
  }

  package func savepoint() throws(StorageError) { try base.savepoint() }
  package func releaseSavepoint() throws(StorageError) { try base.releaseSavepoint() }
  package func rollbackSavepoint() throws(StorageError) { try base.rollbackSavepoint() }

  package func commit() throws(StorageError) -> CommitVersion {
    let unchanged = try base.commit()
    return commitment.version ?? unchanged
  }

  package func end() { base.end() }
}

/// The changes and reads of one transaction, and its end.
///
/// Unchecked because only the thread that has the transaction uses it.
private final class Commitment: TreeCommitter, TreeRecorder, @unchecked Sendable {
  private let store: ManyWriterStore
  private let base: CommitVersion
  private var operations: [WriteOperation] = []
  var footprint = ReadFootprint()
  /// The version of the commit, if there was one.
  private(set) var version: CommitVersion?

  init(_ store: ManyWriterStore, _ base: CommitVersion) {
    self.store = store
    self.base = base
  }

  func put(_ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    operations.append(.put(tree, Array(key), Array(value)))
  }

  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) { operations.append(.delete(tree, Array(key))) }
  func delete(_ tree: TreeID, in range: KeyRange) { operations.append(.deleteRange(tree, range)) }
  var mark: Int { operations.count }
  func rollBack(to mark: Int) { operations.removeSubrange(mark...) }

  func commit(_ state: TreeState, _ changes: (any TreeRecorder)?) throws(StorageError) {
    version = try store.commit(base, footprint, operations)
  }

  func commitUnchanged(_ state: TreeState) { store.end(base) }
  func rollBack() { store.end(base) }
}
