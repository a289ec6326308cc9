public import QuarryBackend

/// The one transaction that writes. It sees its own changes at once; others see them when it has committed.
public protocol KeyValueWriteTransaction: KeyValueReadTransaction {
  /// Stores the value, replacing one that is there.
  ///
  /// - Returns: Whether the key was new; any value where the engine does not know it, see
  ///   ``KeyValueEngineProperties/knowsPresence``.
  @discardableResult
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool
  /// Stores the value unless the key is there.
  ///
  /// - Returns: Whether it was stored.
  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool
  /// Removes the key.
  ///
  /// - Returns: Whether it was there; any value where the engine does not know it.
  @discardableResult
  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool
  /// Removes every entry of the range.
  ///
  /// - Returns: How many there were; any value where the engine does not know it.
  @discardableResult
  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int
  /// Begins a savepoint; they nest.
  ///
  /// When one is rolled back, the cursors over trees that were written to since end; others continue.
  func savepoint() throws(StorageError)
  /// Ends the innermost savepoint and keeps what was done since it began.
  func releaseSavepoint() throws(StorageError)
  /// Ends the innermost savepoint and takes back what was done since it began.
  func rollbackSavepoint() throws(StorageError)
  /// Makes the changes visible and, at the declared level, durable. After a throw the transaction is rolled back.
  func commit() throws(StorageError) -> CommitVersion
}
