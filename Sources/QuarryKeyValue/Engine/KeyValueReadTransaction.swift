public import QuarryBackend

/// Reads one state: for a transaction that writes, the newest one with its own changes.
public protocol KeyValueReadTransaction: AnyObject {
  /// The cursor over the entries of a range.
  associatedtype Cursor: KeyValueCursor

  /// The place of the state that is read in the order of commits.
  var version: CommitVersion { get }
  /// The value of the key, or nil.
  func get(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?
  /// A cursor that stands before the first entry of the range.
  func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> Cursor
  /// The number of entries of the range. Engines with counts in their trees answer in O(log n).
  func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int
  /// Entries and size of a tree. May visit every node, but not every entry.
  func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics
  /// Ends the transaction, rolling back one that writes. A second call does nothing.
  func end()
}
