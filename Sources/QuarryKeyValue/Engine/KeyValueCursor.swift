public import QuarryBackend

/// Moves over the entries of a range, one by one or in batches.
///
/// It sees the writes of its own transaction from before the cursor was created. Writing to its tree while it is open ends it,
/// and it throws `transactionEnded`.
public protocol KeyValueCursor {
  /// Moves to the next entry.
  ///
  /// - Returns: The entry, lent until the cursor moves; nil at the end, and in every call after it.
  /// - Throws: `transactionEnded` after a write to the cursor's tree, the rollback of a savepoint in which the tree was written
  ///   to, or the end of the transaction; `closed`, `corrupt`, `io`.
  /// - Complexity: Amortized O(1) in an ordered tree.
  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
  /// Lends the values of the next entries.
  ///
  /// - Parameter values: The buffer, filled from its beginning. The values are valid until the cursor moves.
  /// - Returns: The number of values that were filled in; 0 at the end, and in every call after it.
  /// - Throws: As ``next()``.
  mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
}
