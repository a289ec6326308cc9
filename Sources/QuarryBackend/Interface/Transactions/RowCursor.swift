/// Rows of a query, in batches.
public protocol RowCursor: AnyObject {
  /// Lends the next rows.
  ///
  /// - Parameter rows: Is filled from its beginning. The pointers are valid until the next call on the cursor or a
  ///   write to its model.
  /// - Returns: How many were filled; 0 at the end, and in every call after it.
  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int
  /// Gives the cursor's resources back. A second call does nothing.
  func close()
}
