import QuarryBackend

/// Gives the rows of an access path, in its order, before anything is filtered.
protocol RowSource: AnyObject {
  /// Lends the next rows, valid until the next call or a write in the transaction.
  ///
  /// Returns 0 at the end, and on every later call.
  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
  /// Whether each row costs a lookup of its own, so that no more should be requested than are needed.
  var isLookup: Bool { get }
  /// Whether look-ups of keys lend the rows, and not a cursor, which keeps them until it moves.
  var lendsByKey: Bool { get }
  /// Passes over the next rows, without reading rows that cost a lookup.
  ///
  /// - Returns: How many were passed over: fewer than asked for at the end alone.
  func skip(_ count: Int) throws(StorageError) -> Int
}

extension RowSource {
  var lendsByKey: Bool { isLookup }

  /// Passes over the rows by way of reading them.
  func skipByReading(_ count: Int) throws(StorageError) -> Int {
    try Self.skip(count) { rows throws(StorageError) in try self.fill(rows) }
  }

  /// Passes over what a closure lends.
  fileprivate static func skip(
    _ count: Int, _ fill: (UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
  ) throws(StorageError) -> Int {
    var skipped = 0
    try withBatch { batch throws(StorageError) in
      while skipped < count {
        let found = try fill(UnsafeMutableBufferPointer(rebasing: batch[..<min(batch.count, count - skipped)]))
        guard found > 0 else { return }
        skipped += found
      }
    }
    return skipped
  }
}

/// Values of a range of a tree. The engine's cursor lends them as they are.
///
/// It is generic over the cursor and nothing else, so that no call has to look a generic type up.
final class TreeWalk<Cursor: KeyValueCursor>: RowSource {
  private var cursor: Cursor
  var isLookup: Bool { false }

  init(_ cursor: Cursor) {
    self.cursor = cursor
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try cursor.fill(rows)
  }

  func skip(_ count: Int) throws(StorageError) -> Int { try skipByReading(count) }
}

/// Rows of ranges of an index. The value of an entry is the primary key of its row.
final class IndexWalk<Transaction: KeyValueReadTransaction>: RowSource {
  private let trees: TreeAccess<Transaction>
  private let table: Table
  private let keys: IndexKeys<Transaction>
  var isLookup: Bool { true }

  init(
    _ trees: TreeAccess<Transaction>, _ table: Table, _ index: TableIndex, _ ranges: [KeyRange], descending: Bool
  ) {
    self.trees = trees
    self.table = table
    keys = IndexKeys(trees, index, ranges, descending: descending)
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    let count = try keys.fill(rows)
    for place in 0..<count {
      guard let row = try trees.get(table.tree, rows[place]) else {
        throw keys.index.dangling(rows[place], table)
      }
      rows[place] = row
    }
    return count
  }

  func skip(_ count: Int) throws(StorageError) -> Int {
    try Self.skip(count) { batch throws(StorageError) in try keys.fill(batch) }
  }
}

/// The primary keys of the entries of ranges of an index.
final class IndexKeys<Transaction: KeyValueReadTransaction> {
  let index: TableIndex
  private let trees: TreeAccess<Transaction>
  private let isDescending: Bool
  /// The ranges that are not begun, the next one last.
  private var ranges: [KeyRange]
  private var walk: (any RowSource)?

  init(_ trees: TreeAccess<Transaction>, _ index: TableIndex, _ ranges: [KeyRange], descending: Bool) {
    self.trees = trees
    self.index = index
    isDescending = descending
    self.ranges = descending ? ranges : ranges.reversed()
  }

  func fill(_ keys: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    while true {
      if walk == nil {
        guard let range = ranges.popLast() else { return 0 }
        if range.isEmpty { continue }
        walk = try trees.walk(index.tree, range, descending: isDescending)
      }
      if let count = try walk?.fill(keys), count > 0 { return count }
      walk = nil
    }
  }

  /// Adds all keys that are left.
  func append(to arena: ByteArena) throws(StorageError) {
    try withBatch { batch throws(StorageError) in
      while case let count = try fill(batch), count > 0 {
        for place in 0..<count { arena.append(batch[place]) }
      }
    }
  }
}

/// Rows with given primary keys, in the order of the keys' places. Keys without a row are passed over, or are damage
/// when they come from an index.
final class KeyLookups<Transaction: KeyValueReadTransaction>: RowSource {
  private let trees: TreeAccess<Transaction>
  private let table: Table
  private let keys: ByteArena
  /// The places of the keys that are not looked up yet, the next one last.
  private var places: [Int]
  /// The index that the keys were found in.
  private let index: TableIndex?
  var isLookup: Bool { true }

  init(_ trees: TreeAccess<Transaction>, _ table: Table, _ keys: ByteArena, places: [Int], index: TableIndex? = nil) {
    self.trees = trees
    self.table = table
    self.keys = keys
    self.places = places.reversed()
    self.index = index
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    var count = 0
    while count < rows.count, let place = places.popLast() {
      let key = keys[place]
      if let row = try trees.get(table.tree, key) {
        rows[count] = row
        count += 1
      } else if let index {
        throw index.dangling(key, table)
      }
    }
    return count
  }

  // A key may have no row.
  func skip(_ count: Int) throws(StorageError) -> Int { try skipByReading(count) }
}

/// Rows of a unique index, by whole entries.
final class EntryLookups<Transaction: KeyValueReadTransaction>: RowSource {
  private let trees: TreeAccess<Transaction>
  private let table: Table
  private let index: TableIndex
  /// The entries that are not looked up yet, the next one last.
  private var entries: [[UInt8]]
  var isLookup: Bool { true }

  init(
    _ trees: TreeAccess<Transaction>, _ table: Table, _ index: TableIndex, _ entries: [[UInt8]], descending: Bool
  ) {
    self.trees = trees
    self.table = table
    self.index = index
    self.entries = descending ? entries : entries.reversed()
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    var count = 0
    while count < rows.count, let entry = entries.popLast() {
      let key = try entry.withBytes { entry throws(StorageError) in try trees.get(index.tree, entry) }
      guard let key else { continue }
      guard let row = try trees.get(table.tree, key) else { throw index.dangling(key, table) }
      rows[count] = row
      count += 1
    }
    return count
  }

  // An entry may not be there.
  func skip(_ count: Int) throws(StorageError) -> Int { try skipByReading(count) }
}

extension TableIndex {
  /// An entry without a row.
  func dangling(_ key: UnsafeRawBufferPointer, _ table: Table) -> StorageError {
    StorageError(
      .corrupt, "the index \(schema.name) has an entry without a row", model: table.model.name,
      key: KeyText.text(of: key, table.model))
  }
}
