import QuarryBackend
import QuarryKeyValue
import QuarryTree

final class FaultyEngineWriter: KeyValueWriteTransaction {
  private struct Put {
    var tree: TreeID
    var key: [UInt8]
    var value: [UInt8]
  }

  private let inner: TreeWriteTransaction
  /// The state before this transaction.
  private let committed: TreeReadTransaction?
  private let fault: EngineFault?
  /// What was put, and how much of it when each open savepoint began.
  private var puts: [Put] = []
  private var savepoints: [Int] = []
  /// Entries with empty values that were deleted.
  private var emptied: [(tree: TreeID, key: [UInt8])] = []
  private var hasEnded = false
  /// Whether something was put into a tree that is not the schema's.
  private var hasPut = false
  /// Whether something was inserted.
  private var hasInserted = false
  /// Whether all entries of a tree were asked for.
  private var hasWalked = false
  /// The trees that lack an entry.
  private var skipped: Set<TreeID> = []

  init(_ writer: TreeWriteTransaction, _ committed: TreeReadTransaction?, _ fault: EngineFault?) {
    inner = writer
    self.committed = committed
    self.fault = fault
    if fault == .rollbackKeepsTree { try? writer.savepoint() }
  }

  var version: CommitVersion { fault == .versionConstant ? CommitVersion(7) : inner.version }

  // MARK: Reading

  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try FaultyReads.get(inner, fault, tree, key)
  }

  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> FaultyEngineCursor {
    if range == .all { hasWalked = true }
    if let committed, fault == .cursorSeesNoWrites {
      return try FaultyReads.cursor(committed, fault, tree, range, descending)
    }
    return try FaultyReads.cursor(inner, fault, tree, range, descending)
  }

  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try FaultyReads.count(inner, fault, tree, range)
  }

  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try FaultyReads.statistics(inner, fault, tree)
  }

  // MARK: Writing

  @discardableResult
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    let tree = FaultyReads.tree(tree, fault)
    let key = shortened(key)
    switch fault {
    case .emptyKeyLost where key.isEmpty: return true
    // The schema stays whole, or nothing would open.
    case .longValuesCut where tree != 0 && value.count > 4000:
      return try inner.put(tree, key, UnsafeRawBufferPointer(rebasing: value[..<4000]))
    case .sameLengthKept where tree != 0:
      if try inner.get(tree, key)?.count == value.count { return false }
    default: break
    }
    if tree != 0 { hasPut = true }
    remember(tree, key, value)
    let isNew = try inner.put(tree, key, value)
    return isNew || fault == .putSaysNew
  }

  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    let tree = FaultyReads.tree(tree, fault)
    let key = shortened(key)
    if fault == .emptyKeyLost, key.isEmpty { return true }
    if fault == .insertReplaces {
      try inner.put(tree, key, value)
      return true
    }
    if fault == .longValuesCut, value.count > 4000 {
      return try inner.insert(tree, key, UnsafeRawBufferPointer(rebasing: value[..<4000]))
    }
    // Who walks over all rows before it writes any fills a new index.
    if fault == .newTreeStaysEmpty, hasWalked, !hasPut, let committed, try committed.count(tree, .all) == 0 {
      return true
    }
    if fault == .lateTreeLacksEntry, hasWalked, hasInserted, let committed, try committed.count(tree, .all) == 0,
      try inner.count(tree, .all) == 0, !skipped.contains(tree)
    {
      skipped.insert(tree)
      return true
    }
    hasInserted = true
    let isStored = try inner.insert(tree, key, value)
    if isStored { remember(tree, key, value) }
    return isStored || fault == .insertSaysStored
  }

  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    let tree = FaultyReads.tree(tree, fault)
    if fault == .emptyValueNotUndone, try inner.get(tree, key)?.isEmpty == true { emptied.append((tree, Array(key))) }
    if fault == .deleteLeavesEntry { return try inner.get(tree, shortened(key)) != nil }
    let isThere = try inner.delete(tree, shortened(key))
    return isThere && fault != .deleteSaysMissing
  }

  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    let tree = FaultyReads.tree(tree, fault)
    var range = FaultyReads.range(range, fault)
    if fault == .deleteRangeMissesLast {
      var cursor = try inner.cursor(tree, range, descending: true)
      if let last = try cursor.next() { range.upper = Array(last.key) }
      return try inner.delete(tree, in: range)
    }
    let count = try inner.delete(tree, in: range)
    return fault == .deleteRangeCountsOne ? 1 : count
  }

  private func shortened(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    fault == .longKeysCut && key.count > 40 ? UnsafeRawBufferPointer(rebasing: key[..<40]) : key
  }

  private func remember(_ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch fault {
    case .savepointKeepsTree, .rollbackKeepsTree, .commitLosesLastWrite:
      puts.append(Put(tree: tree, key: Array(key), value: Array(value)))
    default: break
    }
  }

  /// Puts into one tree, which is none of the schema, once more.
  private func putAgain(_ puts: some Collection<Put>) throws(StorageError) {
    guard let tree = puts.map(\.tree).max(), tree != 0 else { return }
    for put in puts where put.tree == tree {
      try Row(put.key).lend { (key) throws(StorageError) in
        try Row(put.value).lend { (value) throws(StorageError) in _ = try inner.put(tree, key, value) }
      }
    }
  }

  // MARK: Savepoints and end

  func savepoint() throws(StorageError) {
    try inner.savepoint()
    savepoints.append(puts.count)
  }

  func releaseSavepoint() throws(StorageError) {
    try inner.releaseSavepoint()
    _ = savepoints.popLast()
  }

  func rollbackSavepoint() throws(StorageError) {
    try inner.rollbackSavepoint()
    guard let start = savepoints.popLast() else { return }
    if fault == .savepointKeepsTree { try putAgain(puts[start...]) }
    for (tree, key) in emptied {
      _ = try Row(key).lend { (key) throws(StorageError) in try inner.delete(tree, key) }
    }
    emptied = []
    puts.removeSubrange(start...)
  }

  func commit() throws(StorageError) -> CommitVersion {
    hasEnded = true
    defer { committed?.end() }
    if fault == .commitLosesLastWrite, let last = puts.last, last.tree != 0 {
      _ = try Row(last.key).lend { (key) throws(StorageError) in try inner.delete(last.tree, key) }
    }
    if fault == .rollbackKeepsTree { try inner.releaseSavepoint() }
    let version = try inner.commit()
    switch fault {
    case .commitVersionDiffers: return CommitVersion(version.rawValue + 1)
    case .versionConstant: return CommitVersion(7)
    default: return version
    }
  }

  func end() {
    committed?.end()
    guard fault == .rollbackKeepsTree, !hasEnded, !puts.isEmpty, (try? commitTree()) != nil else {
      return inner.end()
    }
    hasEnded = true
  }

  /// Undoes everything, puts into one tree again and commits.
  private func commitTree() throws(StorageError) {
    for _ in savepoints { try inner.rollbackSavepoint() }
    try inner.rollbackSavepoint()
    try putAgain(puts)
    _ = try inner.commit()
  }
}
