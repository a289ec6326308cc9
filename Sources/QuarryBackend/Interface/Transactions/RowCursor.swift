/// Rows of a query, in batches.
public protocol RowCursor: AnyObject {
  /// Lends the next rows.
  ///
  /// - Parameter rows: The buffer, filled from its beginning. The pointers are valid until the next call on the cursor or a write
  ///   to its model.
  /// - Returns: The number of rows that were filled in; 0 at the end, and in every call after it.
  /// - Throws: `transactionEnded` after the end of the transaction, a write to the model, or the rollback of the cursor's
  ///   savepoint. `closed`, `corrupt`, `io`, `unavailable`; `conflict` where there are many writers.
  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
  /// Releases the cursor's resources. A second call does nothing.
  func close()
}
