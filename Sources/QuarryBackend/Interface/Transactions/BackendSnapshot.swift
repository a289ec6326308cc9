/// A pinned state that many threads may read.
public protocol BackendSnapshot: AnyObject, Sendable {
  /// The place of the state in the order of commits.
  var version: CommitVersion { get }
  /// Begins a read transaction on the pinned state, for one thread.
  ///
  /// - Throws: `closed` when the snapshot or the store was closed; `limitExceeded` past the manifest's limit; `io`,
  ///   `unavailable`.
  func beginRead() throws(StorageError) -> any BackendReadTransaction
  /// Releases the state. Read transactions of it throw `closed` from then on. A second call does nothing.
  func close()
}
