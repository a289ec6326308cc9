import QuarryBackend

/// The trees of an engine's transaction as if it took keys of any length.
///
/// The calls are the transaction's calls. Where the engine has no limit they are one comparison away from it. Where it has one,
/// long keys are found by ``LongKeyFormat``, and only calls over ranges of trees whose keys can be long check whether there are
/// any.
struct TreeAccess<Transaction: KeyValueReadTransaction> {
  let base: Transaction
  let format: LongKeyFormat?
  /// Bytes of the longest key that goes to the engine as it is.
  let plainLimit: Int
  /// Whether the engine says of what it removes whether it was there.
  let knowsPresence: Bool

  init(_ base: Transaction, _ format: LongKeyFormat?, knowsPresence: Bool = true) {
    self.base = base
    self.format = format
    self.knowsPresence = knowsPresence
    plainLimit = format?.limit ?? .max
  }

  // MARK: Reading

  @inline(__always)
  func get(_ tree: Tree, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try get(tree.id, key)
  }

  @inline(__always)
  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    if key.count <= plainLimit { return try base.get(tree, key) }
    return try longValue(tree, key)
  }

  /// A cursor over the range, whose bounds may have any length.
  func cursor(_ tree: Tree, _ range: KeyRange, descending: Bool) throws(StorageError) -> TreeAccessCursor<Transaction> {
    if let walk = try longWalk(tree, range, descending: descending) { return TreeAccessCursor(walk) }
    guard let range = short(range) else { return TreeAccessCursor(nil) }
    return TreeAccessCursor(try base.cursor(tree.id, range, descending: descending))
  }

  /// The values of the range, whose bounds may have any length; nil where nothing is in it.
  func walk(_ tree: Tree, _ range: KeyRange, descending: Bool) throws(StorageError) -> (any RowSource)? {
    if let walk = try longWalk(tree, range, descending: descending) { return walk }
    guard let range = short(range) else { return nil }
    return TreeWalk(try base.cursor(tree.id, range, descending: descending))
  }

  /// The part of a range that the engine's own keys can be in; nil for none.
  private func short(_ range: KeyRange) -> KeyRange? {
    guard let format else { return range }
    return format.short(range)
  }

  /// The walk over a range that has long keys; nil for others.
  private func longWalk(
    _ tree: Tree, _ range: KeyRange, descending: Bool
  ) throws(StorageError) -> LongKeyWalk<Transaction>? {
    guard let format, format.concerns(tree), !range.isEmpty else { return nil }
    return try LongKeyWalk(base, format, tree.id, range, descending: descending)
  }

  func count(_ tree: Tree, _ range: KeyRange) throws(StorageError) -> Int {
    guard let format else { return try base.count(tree.id, range) }
    guard !range.isEmpty else { return 0 }
    let short = try format.short(range).map { range throws(StorageError) in try base.count(tree.id, range) } ?? 0
    guard format.concerns(tree) else { return short }
    let companion = LongKeyFormat.companion(of: tree.id)
    var long = try base.count(companion, format.companion(range))
    guard long > 0 else { return short }
    for prefix in format.boundaries(of: range) {
      try visitLong(companion, prefix) { key throws(StorageError) in if !range.contains(key) { long -= 1 } }
    }
    return short + long
  }

  func statistics(of tree: Tree) throws(StorageError) -> KeyValueTreeStatistics {
    var result = try base.statistics(of: tree.id)
    guard let format, format.concerns(tree) else { return result }
    let long = try base.statistics(of: LongKeyFormat.companion(of: tree.id))
    result.entries += long.entries
    if let bytes = result.bytes, let more = long.bytes { result.bytes = bytes + more }
    return result
  }

  // MARK: Long keys

  /// The value of a long key.
  private func longValue(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let format else { return nil }
    guard let stored = try find(format, tree, key).stored else { return nil }
    return try LongKeyFormat.split(stored).value
  }

  /// Looks for a long key. The entries of keys with one prefix and hash have the probes 0, 1, 2 … without a gap.
  ///
  /// - Returns: The entry of the key, or the one where it belongs, nil when all are taken; and what is stored there.
  fileprivate func find(
    _ format: LongKeyFormat, _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> (entry: [UInt8]?, stored: UnsafeRawBufferPointer?) {
    var entry = format.entry(key)
    repeat {
      guard let stored = try stored(tree, entry) else { return (entry, nil) }
      if try LongKeyFormat.split(stored).key.compare(key) == 0 { return (entry, stored) }
    } while LongKeyFormat.advance(&entry)
    return (nil, nil)
  }

  fileprivate func stored(_ tree: TreeID, _ entry: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer? {
    try entry.withBytes { entry throws(StorageError) in
      try base.get(LongKeyFormat.companion(of: tree), entry)
    }
  }

  /// Calls the body with each long key whose entry has the prefix, in no order.
  fileprivate func visitLong(
    _ companion: TreeID, _ prefix: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    var cursor = try base.cursor(companion, .prefix(prefix), descending: false)
    while let (_, stored) = try cursor.next() { try body(try LongKeyFormat.split(stored).key) }
  }
}

// MARK: - Writing

extension TreeAccess where Transaction: KeyValueWriteTransaction {
  /// Stores the value, replacing one that is there.
  ///
  /// - Returns: Whether the key was new, if the engine knows it.
  @inline(__always) @discardableResult
  func put(
    _ tree: Tree, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    if key.count <= plainLimit { return try base.put(tree.id, key, value) }
    return try storeLong(tree, key, value, replaces: true)
  }

  /// Stores the value unless the key is there.
  ///
  /// - Returns: Whether it was stored.
  @inline(__always)
  func insert(
    _ tree: Tree, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    if key.count <= plainLimit { return try base.insert(tree.id, key, value) }
    return try storeLong(tree, key, value, replaces: false)
  }

  /// Removes the key, if it is there.
  @inline(__always)
  func remove(_ tree: Tree, _ key: UnsafeRawBufferPointer) throws(StorageError) {
    if key.count <= plainLimit {
      try base.delete(tree.id, key)
    } else {
      _ = try deleteLong(tree, key)
    }
  }

  /// Removes the key.
  ///
  /// - Returns: Whether it was there.
  @inline(__always)
  func delete(_ tree: Tree, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    if key.count > plainLimit { return try deleteLong(tree, key) }
    if knowsPresence { return try base.delete(tree.id, key) }
    guard try base.get(tree.id, key) != nil else { return false }
    try base.delete(tree.id, key)
    return true
  }

  /// Removes every entry of the range.
  ///
  /// - Returns: How many there were.
  func delete(_ tree: Tree, in range: KeyRange) throws(StorageError) -> Int {
    if knowsPresence { return try removeAll(tree, in: range) }
    let count = try count(tree, range)
    if count > 0 { _ = try removeAll(tree, in: range) }
    return count
  }

  /// Removes every entry of the range.
  func remove(_ tree: Tree, in range: KeyRange) throws(StorageError) {
    _ = try removeAll(tree, in: range)
  }

  /// - Returns: How many there were, if the engine knows it.
  private func removeAll(_ tree: Tree, in range: KeyRange) throws(StorageError) -> Int {
    guard let format else { return try base.delete(tree.id, in: range) }
    guard !range.isEmpty else { return 0 }
    var deleted =
      try format.short(range).map { range throws(StorageError) in try base.delete(tree.id, in: range) } ?? 0
    guard format.concerns(tree) else { return deleted }
    let companion = LongKeyFormat.companion(of: tree.id)
    // Entries next to a long bound are removed one by one, entries between the bounds as a whole.
    let boundaries = format.boundaries(of: range)
    var beside: [[UInt8]] = []
    for prefix in boundaries {
      try visitLong(companion, prefix) { key throws(StorageError) in
        if range.contains(key) { beside.append(Array(key)) }
      }
    }
    for key in beside {
      if try key.withBytes({ key throws(StorageError) in try deleteLong(tree, key) }) { deleted += 1 }
    }
    var between = format.companion(range)
    if let lower = range.lower, lower.count > format.prefixBytes {
      guard let bound = KeyRange.successor(ofPrefix: Array(lower[..<format.prefixBytes])) else { return deleted }
      between.lower = bound
    }
    if let upper = range.upper, upper.count > format.prefixBytes {
      between.upper = Array(upper[..<format.prefixBytes])
    }
    if !between.isEmpty { deleted += try base.delete(companion, in: between) }
    return deleted
  }

  private func storeLong(
    _ tree: Tree, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, replaces: Bool
  ) throws(StorageError) -> Bool {
    guard let format else { return false }
    let found = try find(format, tree.id, key)
    if found.stored != nil, !replaces { return false }
    guard let entry = found.entry else {
      throw .limitExceeded("keys with one beginning and one hash", limit: 256, actual: 257)
    }
    let stored = try LongKeyFormat.stored(key, value)
    try put(LongKeyFormat.companion(of: tree.id), entry, stored)
    return found.stored == nil
  }

  private func put(_ companion: TreeID, _ entry: [UInt8], _ stored: [UInt8]) throws(StorageError) {
    try entry.withBytes { entry throws(StorageError) in
      try stored.withBytes { stored throws(StorageError) in _ = try base.put(companion, entry, stored) }
    }
  }

  /// Removes a long key. Where other keys have its prefix and hash, the last of them takes its place, so that there is
  /// no gap before it.
  private func deleteLong(_ tree: Tree, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard let format else { return false }
    let found = try find(format, tree.id, key)
    guard found.stored != nil, let entry = found.entry else { return false }
    let companion = LongKeyFormat.companion(of: tree.id)
    var last = entry
    var next = entry
    while LongKeyFormat.advance(&next), try stored(tree.id, next) != nil { last = next }
    if last != entry, let moved = try stored(tree.id, last).map({ Array($0) }) { try put(companion, entry, moved) }
    try last.withBytes { last throws(StorageError) in _ = try base.delete(companion, last) }
    return true
  }
}
