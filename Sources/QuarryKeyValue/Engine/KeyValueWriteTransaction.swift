public import QuarryBackend

/// The one transaction that writes. It sees its own changes at once; others see them when it has committed.
public protocol KeyValueWriteTransaction: KeyValueReadTransaction {
  /// Stores the value, replacing one that is there.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree; the first write makes it.
  ///   - key: The key, of at most ``KeyValueEngineProperties/maximumKeyBytes``. No bytes that the transaction lent.
  ///   - value: The value, of at most ``KeyValueEngineProperties/maximumValueBytes``. No bytes that the transaction lent.
  /// - Returns: Whether the key was new; any value where the engine does not know it, see
  ///   ``KeyValueEngineProperties/knowsPresence``.
  /// - Throws: `limitExceeded` for a key or value past its limit; `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  @discardableResult
  func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool
  /// Stores the value unless the key is there.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - key: As in ``put(_:_:_:)``.
  ///   - value: As in ``put(_:_:_:)``.
  /// - Returns: Whether it was stored.
  /// - Throws: As ``put(_:_:_:)``.
  func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool
  /// Removes the key.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - key: The key. No bytes that the transaction lent.
  /// - Returns: Whether it was there; any value where the engine does not know it.
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `full`, `io`.
  @discardableResult
  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool
  /// Removes every entry of the range.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - range: The keys to remove, which may be none.
  /// - Returns: How many there were; any value where the engine does not know it.
  /// - Throws: As ``delete(_:_:)``.
  /// - Complexity: An engine may drop whole pages; else O(m log n) for m of n entries.
  @discardableResult
  func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int
  /// Begins a savepoint; they nest.
  ///
  /// When one is rolled back, the cursors over trees that were written to since end; others continue.
  ///
  /// - Throws: `closed`, `transactionEnded`, `full`, `io`.
  func savepoint() throws(StorageError)
  /// Ends the innermost savepoint and keeps what was done since it began.
  ///
  /// - Throws: `transactionEnded` when no savepoint is open (`StorageError.noSavepoint`), after which the transaction continues;
  ///   `closed`, `io`.
  func releaseSavepoint() throws(StorageError)
  /// Ends the innermost savepoint and undoes what was done since it began, in all trees.
  ///
  /// - Throws: As ``releaseSavepoint()``.
  func rollbackSavepoint() throws(StorageError)
  /// Makes the changes visible and, at the declared level, durable. After a throw the transaction is rolled back.
  ///
  /// - Returns: The version of the new state, greater than every earlier one. Without changes it may be the version of the old
  ///   state.
  /// - Throws: `full`, `io`, also when the store's files were removed or replaced; `closed`, `transactionEnded`.
  func commit() throws(StorageError) -> CommitVersion
}
