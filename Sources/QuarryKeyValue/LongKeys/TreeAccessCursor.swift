import QuarryBackend

/// A cursor over the entries of a range of a tree: the engine's own where no long key is in the range.
struct TreeAccessCursor<Transaction: KeyValueReadTransaction> {
  private var plain: Transaction.Cursor?
  private let walk: LongKeyWalk<Transaction>?

  /// - Parameter cursor: The engine's; nil where nothing is in the range.
  init(_ cursor: Transaction.Cursor?) {
    plain = cursor
    walk = nil
  }

  init(_ walk: LongKeyWalk<Transaction>) {
    plain = nil
    self.walk = walk
  }

  /// The next entry, or nil at the end.
  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if let walk { return try walk.next() }
    return try plain?.next() ?? nil
  }
}
