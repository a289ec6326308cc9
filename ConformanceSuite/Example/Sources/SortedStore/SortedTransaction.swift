public import QuarryBackend
public import QuarryKeyValue

/// A transaction on one state; a writer changes its copy and publishes it at commit.
public final class SortedTransaction: KeyValueWriteTransaction {
  private let engine: SortedEngine
  private let isWriting: Bool
  private var state: SortedState
  private var savepoints: [SortedState] = []
  private var isEnded = false
  /// Raised by what ends the cursors of a tree.
  fileprivate var stamps: [TreeID: Int] = [:]
  fileprivate var rollbacks = 0

  init(_ engine: SortedEngine, _ state: SortedState, isWriting: Bool) {
    self.engine = engine
    self.state = state
    self.isWriting = isWriting
  }

  deinit {
    end()
  }

  public var version: CommitVersion { CommitVersion(state.version) }

  fileprivate func check() throws(StorageError) {
    if isEnded { throw StorageError(.transactionEnded, "the transaction has ended") }
    _ = try engine.state()
  }

  /// The tree, for a change that is made with `willChange`.
  private func tree(_ id: TreeID, willChange: Bool = false) throws(StorageError) -> SortedTree {
    try check()
    if willChange { stamps[id, default: 0] += 1 }
    return state.trees[id] ?? SortedTree()
  }

  // MARK: Reading

  public func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try check()
    return state.value(tree, key)?.bytes
  }

  public func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> SortedCursor {
    SortedCursor(self, tree, try self.tree(tree), range, isDescending: descending)
  }

  public func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try self.tree(tree).places(range).count
  }

  public func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    KeyValueTreeStatistics(entries: try count(tree, .all))
  }

  public func end() {
    guard !isEnded else { return }
    isEnded = true
    state = SortedState(version: state.version)
    savepoints = []
    if isWriting { engine.letNextWriterIn() }
  }

  // MARK: Writing

  public func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try store(tree, key, value, replaces: true)
  }

  public func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try store(tree, key, value, replaces: false)
  }

  private func store(
    _ id: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, replaces: Bool
  ) throws(StorageError) -> Bool {
    var tree = try self.tree(id, willChange: true)
    // The dictionary lets its array go first, so that the array is changed and not copied.
    state.trees[id] = nil
    let place = tree.place(key)
    let isThere = tree.holds(key, at: place)
    if !isThere {
      tree.entries.insert(SortedTree.Entry(key: Block(key), value: Block(value)), at: place)
    } else if replaces {
      tree.entries[place] = SortedTree.Entry(key: tree.entries[place].key, value: Block(value))
    }
    state.trees[id] = tree
    return !isThere
  }

  public func delete(_ id: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    var tree = try self.tree(id, willChange: true)
    let place = tree.place(key)
    guard tree.holds(key, at: place) else { return false }
    state.trees[id] = nil
    tree.entries.remove(at: place)
    state.trees[id] = tree
    return true
  }

  public func delete(_ id: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    var tree = try self.tree(id, willChange: true)
    let places = tree.places(range)
    tree.entries.removeSubrange(places)
    state.trees[id] = tree
    return places.count
  }

  public func savepoint() throws(StorageError) {
    try check()
    savepoints.append(state)
  }

  public func releaseSavepoint() throws(StorageError) {
    try check()
    guard savepoints.popLast() != nil else { throw StorageError(.transactionEnded, "no savepoint is open") }
  }

  public func rollbackSavepoint() throws(StorageError) {
    try check()
    guard let state = savepoints.popLast() else { throw StorageError(.transactionEnded, "no savepoint is open") }
    self.state = state
    rollbacks += 1
  }

  public func commit() throws(StorageError) -> CommitVersion {
    defer { end() }
    try check()
    state.version += 1
    try engine.publish(state)
    return version
  }
}

/// Walks over the entries as they were when it was made.
public struct SortedCursor: KeyValueCursor {
  private let transaction: SortedTransaction
  private let tree: TreeID
  private let entries: [SortedTree.Entry]
  private var rest: Range<Int>
  private let isDescending: Bool
  private let stamp: Int

  init(
    _ transaction: SortedTransaction, _ tree: TreeID, _ sorted: SortedTree, _ range: KeyRange, isDescending: Bool
  ) {
    self.transaction = transaction
    self.tree = tree
    entries = sorted.entries
    rest = sorted.places(range)
    self.isDescending = isDescending
    stamp = Self.stamp(transaction, tree)
  }

  private static func stamp(_ transaction: SortedTransaction, _ tree: TreeID) -> Int {
    (transaction.stamps[tree] ?? 0) + transaction.rollbacks
  }

  public mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    try transaction.check()
    guard Self.stamp(transaction, tree) == stamp else {
      throw StorageError(.transactionEnded, "the tree was written to while a cursor was open")
    }
    guard let place = isDescending ? rest.popLast() : rest.popFirst() else { return nil }
    return (entries[place].key.bytes, entries[place].value.bytes)
  }

  public mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    var count = 0
    while count < values.count, let entry = try next() {
      values[count] = entry.value
      count += 1
    }
    return count
  }
}
