public import QuarryBackend

/// Moves over the entries of a range, one by one or in batches.
///
/// It sees the writes of its own transaction from before the cursor was created. Writing to its tree while it is open ends it,
/// and it throws `transactionEnded`.
public protocol KeyValueCursor {
  /// The next entry, or nil at the end.
  mutating func next() throws(StorageError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
  /// Lends the values of the next entries.
  ///
  /// - Parameter values: Is filled from its beginning.
  /// - Returns: How many were filled; 0 at the end, and in every call after it.
  mutating func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
}
