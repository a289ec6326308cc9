public import QuarryBackend
public import QuarryKeyValue

/// Keeps alive lent nodes that nothing else references.
///
/// Of two generations the older one is released when the newer one is full, so that a transaction that reads more than fits into
/// memory does not keep all of it.
struct Pins {
  /// The number of most recently lent values that stay valid.
  private static let least = 1_024
  private static let bytesAtOnce = 32 << 20
  private var young: [AnyObject] = []
  private var old: [AnyObject] = []
  private var bytes = 0

  mutating func pin(_ object: AnyObject, bytes count: Int) {
    if let last = young.last, last === object { return }
    young.append(object)
    bytes += count
    guard young.count >= Self.least, bytes >= Self.bytesAtOnce else { return }
    old = young
    young = []
    bytes = 0
  }

  mutating func removeAll() {
    if young.isEmpty, old.isEmpty { return }
    self = Pins()
  }
}

/// The common part of read and write transactions of a ``SealedEngine``, which their cursors use.
public class SealedTransaction {
  let session: SealedSession
  let reader: PageReader
  /// The state that the transaction began with.
  let state: RootState
  // Transactions are used by one thread at a time, which the layer above sees to; exclusive access need not be checked
  // once more for each row.
  @exclusivity(unchecked) final var hasEnded = false
  @exclusivity(unchecked) final var pins = Pins()

  init(_ session: SealedSession, _ reader: PageReader, _ state: RootState) {
    self.session = session
    self.reader = reader
    self.state = state
  }

  /// Throws unless the transaction is active.
  @inline(__always)
  final func requireOpen() throws(StorageError) {
    try session.requireOpen()
    if hasEnded { throw .ended }
  }

  /// Throws unless the transaction is active and the tree is as it was when the cursor was created.
  func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireOpen()
  }

  /// The root node of a tree; nil for one that is empty.
  func rootNode(_ tree: TreeID) throws(StorageError) -> SealedNode? {
    guard let place = state.place(tree) else { return nil }
    return try reader.root(state, place)
  }

  /// The number of entries of a tree.
  func entries(_ tree: TreeID) -> Int {
    guard let place = state.place(tree) else { return 0 }
    return Int(truncatingIfNeeded: state.record.trees[place].root.count)
  }

  // MARK: Reading, common to both kinds

  final func find(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard var node = try rootNode(tree) else { return nil }
    var isKept = true
    while !node.isLeaf {
      let child = try reader.child(node, node.childIndex(key))
      node = child.node
      isKept = child.isKept && isKept
    }
    let (index, isFound) = node.search(key)
    guard isFound else { return nil }
    guard let value = node.value(index) else {
      let joined = try reader.value(node.reference(index))
      pins.pin(joined, bytes: joined.bytes.count)
      return UnsafeRawBufferPointer(joined.bytes)
    }
    // The state retains cached nodes; the transaction pins the others.
    if !isKept { pins.pin(node, bytes: SealedFormat.contentBytes) }
    return value
  }

  /// How many keys of a tree are less than the key.
  private func rank(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> Int {
    try key.withBytes { key throws(StorageError) in
      guard var node = try rootNode(tree) else { return 0 }
      var rank = 0
      while !node.isLeaf {
        let index = node.childIndex(key)
        for before in 0..<index { rank += Int(truncatingIfNeeded: node.reference(before).count) }
        node = try reader.child(node, index).node
      }
      return rank + node.search(key).index
    }
  }

  final func countEntries(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    let end = if let upper = range.upper { try rank(tree, upper) } else { entries(tree) }
    let begin = if let lower = range.lower { try rank(tree, lower) } else { 0 }
    return max(0, end - begin)
  }

  /// Entries of a tree, and the bytes of its nodes and of its long values as they stand in the base.
  ///
  /// - Complexity: Visits every node.
  final func figures(_ tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    guard let root = try rootNode(tree) else { return KeyValueTreeStatistics(entries: 0, bytes: 0) }
    let pages = try pages(root)
    return KeyValueTreeStatistics(entries: entries(tree), bytes: pages * SealedFormat.pageBytes)
  }

  private func pages(_ node: SealedNode) throws(StorageError) -> Int {
    var pages = 1
    for index in 0..<node.count {
      if !node.isLeaf {
        pages += try self.pages(reader.child(node, index).node)
      } else if node.value(index) == nil {
        let bytes = node.reference(index).count
        pages += Int(clamping: bytes / UInt64(SealedFormat.chainRoom)) + 1
      }
    }
    return pages
  }
}

/// Reads one committed state of a ``SealedEngine``.
public final class SealedReadTransaction: SealedTransaction, KeyValueReadTransaction {
  public let version: CommitVersion
  private let base: any KeyValueReadTransaction
  private let snapshot: SealedSnapshotState?

  init(
    _ session: SealedSession, _ base: any KeyValueReadTransaction, _ reader: PageReader, _ state: RootState,
    _ snapshot: SealedSnapshotState?
  ) {
    self.base = base
    self.snapshot = snapshot
    version = base.version
    super.init(session, reader, state)
  }

  deinit {
    end()
  }

  @inline(__always)
  private func requireReadable() throws(StorageError) {
    try requireOpen()
    if let snapshot, snapshot.isClosed { throw .snapshotClosed }
  }

  override func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireReadable()
  }

  public func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try requireReadable()
    return try find(tree, key)
  }

  public func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> SealedCursor {
    try requireReadable()
    return try SealedCursor(self, tree, stamp: 0, try rootNode(tree), range, descending: descending)
  }

  public func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try requireReadable()
    return try countEntries(tree, range)
  }

  public func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try requireReadable()
    return try figures(tree)
  }

  public func end() {
    if hasEnded { return }
    hasEnded = true
    pins.removeAll()
    base.end()
  }
}
