public import QuarryBackend
public import QuarryKeyValue

/// The write transaction of a ``SealedEngine``.
///
/// It has trees of its own, which share their nodes with the state that it began with until they are changed. Changed nodes are
/// in memory until the commit; values in chains are in the base at once.
///
/// A savepoint is a savepoint of the base for stored pages, and the kept roots of the trees. A node that was created since the
/// innermost savepoint began is changed in place; every other node is copied.
public final class SealedWriteTransaction: SealedTransaction, KeyValueWriteTransaction {
  /// A tree that was read or changed.
  struct WorkTree {
    /// Nil for a tree without entries, and for one whose root was not opened.
    var root: SealedNode?
    /// The reference from the root record, until the tree is changed.
    var reference: PageReference?
    /// Grows with each change, so that no two states of a tree have the same.
    var stamp: UInt64 = 0

    var isEmpty: Bool { root == nil && reference == nil }
  }

  private struct Savepoint {
    var trees: WorkTrees
    var hasChanged: Bool
    var floor: UInt64
    var nextPage: UInt64
    var failure: StorageError?
  }

  /// Bytes of changed nodes after which they are stored, where no savepoint is open.
  static let spillBytes = 64 << 20

  public let version: CommitVersion
  let base: any KeyValueWriteTransaction
  private let maximumKeyBytes: Int
  private let maximumValueBytes: Int
  @exclusivity(unchecked) final var trees = WorkTrees()
  @exclusivity(unchecked) private var savepoints: [Savepoint] = []
  @exclusivity(unchecked) private var stamp: UInt64 = 0
  @exclusivity(unchecked) private var hasChanged = false
  @exclusivity(unchecked) private var failure: StorageError?
  /// The number that new nodes get.
  @exclusivity(unchecked) final var generation: UInt64 = 1
  /// Nodes of at least this generation were made since the innermost savepoint began.
  @exclusivity(unchecked) final var floor: UInt64 = 1
  @exclusivity(unchecked) final var nextPage: UInt64
  /// Pieces that were sealed with the keys of the store, these of this transaction among them.
  @exclusivity(unchecked) final var seals: UInt64
  /// Nodes that were made since the last were stored.
  @exclusivity(unchecked) final var madeNodes = 0
  /// The branches from a root to a leaf, and the child that was taken.
  @exclusivity(unchecked) final var path: [(node: SealedNode, index: Int)] = []
  final let scratch = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)
  final let sealed = UnsafeMutableRawPointer.allocate(byteCount: SealedFormat.pageBytes, alignment: 16)

  init(
    _ session: SealedSession, _ base: any KeyValueWriteTransaction, _ reader: PageReader, _ state: RootState,
    _ properties: KeyValueEngineProperties
  ) {
    self.base = base
    maximumKeyBytes = properties.maximumKeyBytes ?? SealedFormat.maximumKeyBytes
    maximumValueBytes = properties.maximumValueBytes ?? .max
    version = base.version
    nextPage = state.record.nextPage
    seals = state.record.seals &+ session.uncounted.exchange(0, ordering: .relaxed)
    super.init(session, reader, state)
  }

  deinit {
    end()
    scratch.deallocate()
    sealed.deallocate()
  }

  @inline(__always)
  private func requireUsable() throws(StorageError) {
    try requireOpen()
    if let failure { throw failure }
  }

  // MARK: Reading

  func work(_ tree: TreeID) -> WorkTree {
    if let known = trees[tree] { return known }
    guard let place = state.place(tree) else { return WorkTree() }
    return WorkTree(root: state.link(place), reference: state.record.trees[place].root)
  }

  override func rootNode(_ tree: TreeID) throws(StorageError) -> SealedNode? {
    if let known = trees[tree] {
      if let root = known.root { return root }
      guard let reference = known.reference else { return nil }
      let root = try reader.load(reference, level: nil)
      trees[tree]?.root = root
      return root
    }
    return try super.rootNode(tree)
  }

  override func entries(_ tree: TreeID) -> Int {
    let work = work(tree)
    return work.root?.total ?? work.reference.map { Int(truncatingIfNeeded: $0.count) } ?? 0
  }

  override func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireUsable()
    if trees[tree]?.stamp ?? 0 != stamp { throw .cursorEnded }
  }

  public func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try requireUsable()
    return try find(tree, key)
  }

  public func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> SealedCursor {
    try requireUsable()
    return try SealedCursor(
      self, tree, stamp: trees[tree]?.stamp ?? 0, try rootNode(tree), range, descending: descending)
  }

  public func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try requireUsable()
    return try countEntries(tree, range)
  }

  public func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try requireUsable()
    return try figures(tree)
  }

  // MARK: Changes

  /// Changes a tree, and stamps it when something was changed.
  ///
  /// After a failure in the middle, the transaction can only be rolled back, to a savepoint or altogether.
  @inline(__always)
  func change<R>(
    _ tree: TreeID, _ body: (inout WorkTree) throws(StorageError) -> (result: R, hasChanged: Bool)
  ) throws(StorageError) -> R {
    try requireUsable()
    do throws(StorageError) {
      if madeNodes * SealedFormat.contentBytes > Self.spillBytes, savepoints.isEmpty { try spill() }
      _ = try rootNode(tree)
      var work = work(tree)
      let (result, hasChanged) = try body(&work)
      if hasChanged {
        stamp &+= 1
        work.stamp = stamp
        self.hasChanged = true
        pins.removeAll()
      }
      trees[tree] = work
      return result
    } catch {
      failure = error
      throw error
    }
  }

  /// Gives a tree what another one has, which is empty then.
  func replace(_ tree: TreeID, by other: TreeID) {
    stamp &+= 1
    var work = work(other)
    work.stamp = stamp
    trees[tree] = work
    trees[other] = nil
    hasChanged = true
    pins.removeAll()
  }

  private func requireStorable(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) {
    if key.count > maximumKeyBytes {
      throw .limitExceeded("bytes of a key", limit: maximumKeyBytes, actual: key.count)
    }
    if value.count > maximumValueBytes {
      throw .limitExceeded("bytes of a value", limit: maximumValueBytes, actual: value.count)
    }
  }

  @discardableResult
  public func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try requireUsable()
    try requireStorable(key, value)
    return try change(tree) { work throws(StorageError) in
      (try store(&work, key, value, replaces: true) == .inserted, true)
    }
  }

  public func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try requireUsable()
    try requireStorable(key, value)
    return try change(tree) { work throws(StorageError) in
      let isStored = try store(&work, key, value, replaces: false) == .inserted
      return (isStored, isStored)
    }
  }

  public func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try change(tree) { work throws(StorageError) in
      let isRemoved = try remove(&work, key)
      return (isRemoved, isRemoved)
    }
  }

  public func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try requireUsable()
    let count = try countEntries(tree, range)
    if count == 0 { return 0 }
    return try change(tree) { work throws(StorageError) in
      try remove(&work, in: range)
      return (count, true)
    }
  }

  // MARK: Savepoints

  public func savepoint() throws(StorageError) {
    try requireUsable()
    if madeNodes * SealedFormat.contentBytes > Self.spillBytes, savepoints.isEmpty { try spill() }
    try base.savepoint()
    savepoints.append(
      Savepoint(trees: trees, hasChanged: hasChanged, floor: floor, nextPage: nextPage, failure: failure))
    generation &+= 1
    floor = generation
  }

  public func releaseSavepoint() throws(StorageError) {
    try requireUsable()
    guard let kept = savepoints.last else { throw .noSavepoint }
    try base.releaseSavepoint()
    savepoints.removeLast()
    floor = kept.floor
  }

  public func rollbackSavepoint() throws(StorageError) {
    try requireOpen()
    guard let kept = savepoints.last else { throw .noSavepoint }
    do throws(StorageError) {
      try base.rollbackSavepoint()
    } catch {
      failure = error
      throw error
    }
    savepoints.removeLast()
    let undone = trees
    trees = kept.trees
    stamp &+= 1
    for tree in undone.ids where undone[tree]?.stamp ?? 0 != kept.trees[tree]?.stamp ?? 0 {
      // A tree that was not read before has its state's root again, and a stamp of its own.
      var restored = self.work(tree)
      restored.stamp = stamp
      trees[tree] = restored
    }
    hasChanged = kept.hasChanged
    nextPage = kept.nextPage
    failure = kept.failure
    floor = kept.floor
    // Nodes that were made since hang on nothing any more; what is made from now on must not be taken for them.
    generation &+= 1
    pins.removeAll()
  }

  // MARK: End

  /// Commits the transaction.
  ///
  /// - Returns: The version of the new state, or of the old one when nothing was changed.
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `full`, `io`. The transaction has ended then, and nothing of it is
  ///   stored.
  public func commit() throws(StorageError) -> CommitVersion {
    defer { end() }
    try requireUsable()
    if !hasChanged {
      // Also reports the base's errors about who may commit.
      hasEnded = true
      giveBackSeals()
      return try base.commit()
    }
    var (record, nodes) = (RootRecord(), [SealedNode?]())
    for tree in Set(trees.ids).union(state.record.trees.map(\.tree)).sorted() {
      let work = work(tree)
      if work.isEmpty { continue }
      guard let root = work.root else {
        guard let reference = work.reference else { continue }
        record.trees.append(SealedTreeRecord(tree: tree, root: reference))
        nodes.append(nil)
        continue
      }
      record.trees.append(SealedTreeRecord(tree: tree, root: try store(root, keeps: true)))
      nodes.append(root)
    }
    record.nextPage = nextPage
    record.seals = seals &+ 1
    let stored = try reader.ciphers.sealRoot(record.content, seals: seals)
    seals &+= 1
    try StoredEnvelope.writeRoot(stored, base)
    let mends = session.needsMending.load(ordering: .relaxed)
    if mends, let envelope = try StoredEnvelope.read(base, of: "the store"), !envelope.stale.isEmpty,
      let slot = envelope.slot
    {
      try StoredEnvelope.write(slot, base)
    }
    let committed = try base.commit()
    if mends { session.needsMending.store(false, ordering: .relaxed) }
    seals = state.record.seals
    hasEnded = true
    if let tag = stored.withUnsafeBytes({ RootState.tag(of: $0) }) {
      session.cache.publish(RootState(record, tag: tag, reader.ciphers, nodes: nodes))
    }
    return committed
  }

  /// The next transaction counts pieces that were sealed and not committed.
  private func giveBackSeals() {
    session.uncounted.add(seals &- state.record.seals, ordering: .relaxed)
    seals = state.record.seals
  }

  public func end() {
    if hasEnded {
      clear()
      return
    }
    hasEnded = true
    giveBackSeals()
    clear()
    base.end()
  }

  private func clear() {
    savepoints = []
    trees = WorkTrees()
    path = []
    pins.removeAll()
  }
}
