import QuarryBackend

/// A walk over a range that has long keys: the engine's cursors over the short keys between them, and each long key in
/// its place. So a walk over few long keys is as quick as one over none, and no key is compared for it.
final class LongKeyWalk<Transaction: KeyValueReadTransaction>: RowSource {
  private let transaction: Transaction
  private let format: LongKeyFormat
  private let tree: TreeID
  private let range: KeyRange
  private let isDescending: Bool
  private let longKeys: LongKeyRuns<Transaction>
  /// The short keys before `upcoming`.
  private var segment: Transaction.Cursor?
  /// The long key that comes next; nil after the last.
  private var upcoming: [UInt8]?
  var isLookup: Bool { false }
  // The values of long keys are.
  var lendsByKey: Bool { true }

  /// - Returns: nil when there is no long key in the range.
  init?(
    _ transaction: Transaction, _ format: LongKeyFormat, _ tree: TreeID, _ range: KeyRange, descending: Bool
  ) throws(StorageError) {
    longKeys = try LongKeyRuns(transaction, format, tree, range, descending: descending)
    guard let first = try longKeys.next() else { return nil }
    self.transaction = transaction
    self.format = format
    self.tree = tree
    self.range = range
    isDescending = descending
    upcoming = first
    segment = try cursor(from: descending ? range.upper : range.lower, to: first)
  }

  /// The short keys from one bound in the direction of the walk to the other.
  private func cursor(from first: [UInt8]?, to last: [UInt8]?) throws(StorageError) -> Transaction.Cursor? {
    let range = isDescending ? KeyRange(lower: last, upper: first) : KeyRange(lower: first, upper: last)
    guard !range.isEmpty, let short = format.short(range) else { return nil }
    return try transaction.cursor(tree, short, descending: isDescending)
  }

  /// The long key that is next, with its value; the short keys after it come next.
  private func nextLong() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard let key = upcoming else { return nil }
    let entry = try longKeys.current()
    upcoming = try longKeys.next()
    segment = try cursor(from: key, to: upcoming ?? (isDescending ? range.lower : range.upper))
    return entry
  }

  func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if let entry = try segment?.next() { return entry }
    segment = nil
    return try nextLong()
  }

  func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    var count = 0
    while count < values.count {
      if segment != nil {
        let rest = UnsafeMutableBufferPointer(rebasing: values[count...])
        // A cursor's lent bytes are gone when it moves on, so this is the last of the batch.
        if let found = try segment?.fill(rest), found > 0 { return count + found }
        segment = nil
      }
      guard let (_, value) = try nextLong() else { break }
      values[count] = value
      count += 1
    }
    return count
  }

  func skip(_ count: Int) throws(StorageError) -> Int { try skipByReading(count) }
}

/// The long keys of a range in their order. Entries with one prefix are in the order of their hashes: such a run is
/// collected and sorted by whole keys.
///
/// Holds the keys of one run in memory, not their values: those are looked up when they are lent.
final class LongKeyRuns<Transaction: KeyValueReadTransaction> {
  private let transaction: Transaction
  private let companion: TreeID
  private let prefixBytes: Int
  private let range: KeyRange
  private let isDescending: Bool
  private var cursor: Transaction.Cursor
  /// The first entry after the run with its key. Copied: between two calls other trees may be written to.
  private var held: (entry: [UInt8], key: [UInt8])?
  private let keys = ByteArena()
  private let entries = ByteArena()
  /// The places of the run's keys that are still to come, the next one last.
  private var places: [Int] = []
  private var place = 0

  init(
    _ transaction: Transaction, _ format: LongKeyFormat, _ tree: TreeID, _ range: KeyRange, descending: Bool
  ) throws(StorageError) {
    self.transaction = transaction
    companion = LongKeyFormat.companion(of: tree)
    prefixBytes = format.prefixBytes
    self.range = range
    isDescending = descending
    cursor = try transaction.cursor(companion, format.companion(range), descending: descending)
    held = try read()
  }

  /// Goes to the next key of the range; nil at the end.
  func next() throws(StorageError) -> [UInt8]? {
    while places.isEmpty {
      guard held != nil else { return nil }
      try collect()
    }
    place = places.removeLast()
    return Array(keys[place])
  }

  /// The key that the last ``next()`` went to, and its value, valid until a write.
  func current() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    guard let stored = try transaction.get(companion, entries[place]) else {
      throw StorageError(.transactionEnded, "a long key was removed under a cursor")
    }
    return try LongKeyFormat.split(stored)
  }

  private func read() throws(StorageError) -> (entry: [UInt8], key: [UInt8])? {
    guard let (entry, stored) = try cursor.next() else { return nil }
    guard entry.count > prefixBytes else { throw StorageError(.corrupt, "the entry of a long key is too short") }
    return (Array(entry), Array(try LongKeyFormat.split(stored).key))
  }

  /// Collects the run that begins at the held entry: all entries with its prefix, and of those the keys in the range.
  private func collect() throws(StorageError) {
    keys.removeAll()
    entries.removeAll()
    var prefix: ArraySlice<UInt8>?
    while let (entry, key) = held {
      let beginning = entry[..<prefixBytes]
      if let prefix, prefix != beginning { break }
      prefix = beginning
      if key.withUnsafeBytes({ range.contains($0) }) {
        keys.append(key)
        entries.append(entry)
      }
      held = try read()
    }
    places = isDescending ? keys.sortedPlaces() : keys.sortedPlaces().reversed()
  }
}
