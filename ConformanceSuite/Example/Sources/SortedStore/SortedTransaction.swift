public import QuarryBackend
public import QuarryKeyValue

/// A transaction on one state; a writer changes its copy and publishes it at commit.
public final class SortedTransaction: KeyValueWriteTransaction {
  private let engine: SortedEngine
  private let isWriting: Bool
  private var state: SortedState
  private var savepoints: [(state: SortedState, changes: [TreeID: Int])] = []
  private var isEnded = false
  /// How often each tree was changed: a cursor ends with the next change of its tree.
  private var changes: [TreeID: Int] = [:]

  init(_ engine: SortedEngine, _ state: SortedState, isWriting: Bool) {
    self.engine = engine
    self.state = state
    self.isWriting = isWriting
  }

  deinit {
    end()
  }

  public var version: CommitVersion { CommitVersion(state.version) }

  private func check() throws(StorageError) {
    if isEnded { throw StorageError(.transactionEnded, "the transaction has ended") }
    _ = try engine.state()
  }

  fileprivate func stamp(_ tree: TreeID) throws(StorageError) -> Int {
    try check()
    return changes[tree, default: 0]
  }

  // MARK: Reading

  public func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try check()
    return state.find(tree, key).entry?.value
  }

  public func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> SortedCursor {
    let rest = (state.trees[tree] ?? [])[state.places(tree, range)]
    return SortedCursor(
      transaction: self, tree: tree, stamp: try stamp(tree), isDescending: descending, rest: rest)
  }

  public func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try check()
    return state.places(tree, range).count
  }

  public func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    KeyValueTreeStatistics(entries: try count(tree, .all))
  }

  public func end() {
    guard !isEnded else { return }
    isEnded = true
    if isWriting { engine.letNextWriterIn() }
  }

  // MARK: Writing

  public func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try check()
    if let limit = engine.properties.maximumKeyBytes, key.count > limit {
      throw .limitExceeded("bytes of a key", limit: limit, actual: key.count)
    }
    changes[tree, default: 0] += 1
    let (old, place) = state.find(tree, key)
    let range = old == nil ? place..<place : place..<place + 1
    state.trees[tree, default: []].replaceSubrange(range, with: CollectionOfOne(Entry(key, value)))
    return old == nil
  }

  public func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try get(tree, key) == nil ? put(tree, key, value) : false
  }

  public func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    let lower = Array(key)
    return try delete(tree, in: KeyRange(lower: lower, upper: lower + [0])) == 1
  }

  public func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try check()
    changes[tree, default: 0] += 1
    let places = state.places(tree, range)
    state.trees[tree]?.removeSubrange(places)
    return places.count
  }

  public func savepoint() throws(StorageError) {
    try check()
    savepoints.append((state, changes))
  }

  public func releaseSavepoint() throws(StorageError) {
    _ = try popSavepoint()
  }

  public func rollbackSavepoint() throws(StorageError) {
    let kept = try popSavepoint()
    state = kept.state
    for (tree, count) in changes where count != kept.changes[tree, default: 0] { changes[tree] = count + 1 }
  }

  private func popSavepoint() throws(StorageError) -> (state: SortedState, changes: [TreeID: Int]) {
    try check()
    guard let kept = savepoints.popLast() else { throw .noSavepoint }
    return kept
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
  let transaction: SortedTransaction
  let tree: TreeID
  let stamp: Int
  let isDescending: Bool
  var rest: ArraySlice<Entry>

  public mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard try transaction.stamp(tree) == stamp else {
      throw StorageError(.transactionEnded, "the tree was written to while a cursor was open")
    }
    guard let entry = isDescending ? rest.popLast() : rest.popFirst() else { return nil }
    return (entry.key, entry.value)
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
