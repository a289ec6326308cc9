public import QuarryBackend

/// A committed state that stays readable from any thread until it is closed.
public protocol KeyValueSnapshot: AnyObject, Sendable {
  /// The transaction that reads the state.
  associatedtype ReadTransaction: KeyValueReadTransaction
  /// The place of the state in the order of commits.
  var version: CommitVersion { get }
  /// Begins a read transaction on the state.
  func beginRead() throws(StorageError) -> ReadTransaction
  /// Lets the state go. A second call does nothing.
  func close()
}
