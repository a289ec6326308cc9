public import QuarryBackend

/// A committed state that stays readable from any thread until it is closed.
public protocol KeyValueSnapshot: AnyObject, Sendable {
  /// The transaction that reads the state.
  associatedtype ReadTransaction: KeyValueReadTransaction
  /// The place of the state in the order of commits.
  var version: CommitVersion { get }
  /// Begins a read transaction on the state.
  ///
  /// - Throws: `closed` when the snapshot or the store was closed; `limitExceeded` past
  ///   ``KeyValueEngineProperties/maximumSnapshots``; `io`.
  func beginRead() throws(StorageError) -> ReadTransaction
  /// Releases the state. A second call does nothing.
  func close()
}
