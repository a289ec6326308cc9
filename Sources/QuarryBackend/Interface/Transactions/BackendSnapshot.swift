/// A pinned state that many threads may read.
public protocol BackendSnapshot: AnyObject, Sendable {
  /// The place of the state in the order of commits.
  var version: CommitVersion { get }
  /// Begins a read transaction on the pinned state, for one thread.
  func beginRead() throws(StorageError) -> any BackendReadTransaction
  /// Lets the state go. Read transactions of it throw `closed` from then on. A second call does nothing.
  func close()
}
