import CLMDB
import QuarryBackend
import QuarryKeyValue

/// A walk over a committed state, page by page: LMDB's cursor finds a leaf page, and its entries are read in place. Only
/// for read transactions, whose pages lie in the map and do not change.
final class LMDBLeafWalk: LMDBWalk {
  private let pageSize: Int
  @exclusivity(unchecked) private var leaf: LMDBPage?
  /// The next entry of the page.
  @exclusivity(unchecked) private var index = 0
  /// The entries of the page that are to come.
  @exclusivity(unchecked) private var remaining = 0

  init(
    _ transaction: OpaquePointer, _ handle: MDB_dbi, _ range: KeyRange, descending: Bool, pageSize: Int
  ) throws(StorageError) {
    self.pageSize = pageSize
    try super.init(transaction, handle, range, descending: descending)
  }

  /// Goes to the next page that has entries of the range.
  ///
  /// - Returns: It, or nil at the end.
  @inline(never)
  private func nextLeaf() throws(StorageError) -> LMDBPage? {
    while !isAtEnd {
      let previous = leaf
      // The walk continues only after a success.
      isAtEnd = true
      var result = MDB_SUCCESS
      if let previous {
        // LMDB's cursor checks the ends of its page first, so that nothing is searched for.
        let last = try previous.key(isDescending ? 0 : previous.count - 1)
        key = MDB_val(mv_size: last.count, mv_data: UnsafeMutableRawPointer(mutating: last.baseAddress))
        result = mdb_cursor_get(cursor, &key, &value, MDB_SET)
        guard result == MDB_SUCCESS else { throw StorageError(.corrupt, "a tree of an LMDB store is damaged") }
        result = mdb_cursor_get(cursor, &key, &value, isDescending ? MDB_PREV : MDB_NEXT)
      } else {
        result = position()
      }
      if result == MDB_NOTFOUND { return nil }
      guard result == MDB_SUCCESS, let place = key.mv_data else {
        throw StorageError(lmdb: result, "a tree cannot be read")
      }
      let found = try LMDBPage(holding: place, size: pageSize)
      leaf = found
      index = try previous == nil ? found.index(ofKeyAt: place) : isDescending ? found.count - 1 : 0
      remaining = isDescending ? index + 1 : found.count - index
      isAtEnd = try cut(found)
      if remaining > 0 { return found }
    }
    return nil
  }

  /// Leaves out the entries of the page that are beyond the bound.
  ///
  /// - Returns: Whether the bound is in the page, so that no other follows.
  private func cut(_ leaf: LMDBPage) throws(StorageError) -> Bool {
    guard let bound else { return false }
    if isDescending {
      guard LMDBKey.isLess(try leaf.key(0), bound) else { return false }
      remaining = max(0, index + 1 - (try leaf.firstIndex(notBefore: bound)))
    } else {
      guard try !LMDBKey.isLess(leaf.key(leaf.count - 1), bound) else { return false }
      remaining = max(0, try leaf.firstIndex(notBefore: bound) - index)
    }
    return true
  }

  /// The page whose entry is next; nil at the end.
  @inline(__always)
  private func currentLeaf() throws(StorageError) -> LMDBPage? {
    remaining > 0 ? leaf : try nextLeaf()
  }

  /// The value of an entry that has pages of its own.
  @inline(never)
  private func largeValue(_ leaf: LMDBPage, _ index: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    let bytes = try leaf.key(index)
    var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    var value = MDB_val()
    let result = mdb_cursor_get(cursor, &key, &value, MDB_SET)
    guard result == MDB_SUCCESS else { throw StorageError(lmdb: result, "a tree cannot be read") }
    return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
  }

  @inline(__always)
  private func value(_ leaf: LMDBPage, _ index: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    if let value = try leaf.value(index) { return value }
    return try largeValue(leaf, index)
  }

  override func advance() throws(StorageError) -> Bool {
    guard let leaf = try currentLeaf() else { return false }
    let (bytes, content) = (try leaf.key(index), try value(leaf, index))
    key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    value = MDB_val(mv_size: content.count, mv_data: UnsafeMutableRawPointer(mutating: content.baseAddress))
    index += isDescending ? -1 : 1
    remaining -= 1
    return true
  }

  override func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    var count = 0
    while count < values.count, let leaf = try currentLeaf() {
      let step = isDescending ? -1 : 1
      let taken = min(remaining, values.count - count)
      var index = index
      for place in count..<count + taken {
        values[place] = try value(leaf, index)
        index &+= step
      }
      self.index = index
      remaining -= taken
      count += taken
    }
    return count
  }

  override func countAll() throws(StorageError) -> Int {
    var count = 0
    while try currentLeaf() != nil {
      count += remaining
      remaining = 0
    }
    return count
  }
}

extension LMDBEnvironment {
  /// A walk of a read transaction, whose cursor the caller closes.
  func makeWalk(
    _ transaction: OpaquePointer, _ handle: MDB_dbi, _ range: KeyRange, descending: Bool
  ) throws(StorageError) -> LMDBWalk {
    guard LMDBPage.areAligned(size: pageSize) else {
      return try LMDBWalk(transaction, handle, range, descending: descending)
    }
    return try LMDBLeafWalk(transaction, handle, range, descending: descending, pageSize: pageSize)
  }
}
