public import QuarryBackend

/// Reads one state: for a transaction that writes, the newest one with its own changes.
public protocol KeyValueReadTransaction: AnyObject {
  /// The cursor over the entries of a range.
  associatedtype Cursor: KeyValueCursor

  /// The place of the state that is read in the order of commits.
  var version: CommitVersion { get }
  /// The value of the key; nil when the key is not there.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree; one that was never written to is empty.
  ///   - key: The key, lent for the call.
  /// - Returns: Bytes that are lent as ``KeyValueEngine`` says.
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `io`.
  /// - Complexity: O(log n) for n entries of the tree.
  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?
  /// A cursor that stands before the first entry of the range, or behind its last one.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - range: The keys to visit, which may be none.
  ///   - descending: Whether the cursor moves from the last entry to the first.
  /// - Throws: As ``get(_:_:)``.
  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> Cursor
  /// The number of entries of the range.
  ///
  /// - Parameters:
  ///   - tree: The number of the tree.
  ///   - range: The keys to count.
  /// - Throws: As ``get(_:_:)``.
  /// - Complexity: O(log n) for engines with counts in their trees (``KeyValueEngineProperties/countsRanges``); else the engine
  ///   visits every entry.
  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int
  /// Entries and size of a tree.
  ///
  /// - Parameter tree: The number of the tree.
  /// - Throws: As ``get(_:_:)``.
  /// - Complexity: May visit every node, but not every entry.
  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics
  /// Ends the transaction, rolling back one that writes. A second call does nothing.
  func end()
}
