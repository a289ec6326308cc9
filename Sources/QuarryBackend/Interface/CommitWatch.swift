/// A backend that is told when somebody may have committed: another process, or another store on the same place.
///
/// A backend need not be: without it the version of the newest state is looked at from time to time.
public protocol WatchedBackend: Backend {
  /// Begins to wait for commits.
  ///
  /// - Throws: `io`, `closed`; nil where nobody tells of them.
  func commitWatch() throws(StorageError) -> (any CommitWatch)?
  /// Checks that the path of the store still names the files that are open, while somebody observes the store: a few times
  /// a second.
  ///
  /// - Throws: `io` (`StorageError.removedOrReplaced`) when the store was removed or replaced while it was open.
  func requireInPlace() throws(StorageError)
}

extension WatchedBackend {
  /// Does nothing: the store has no path.
  public func requireInPlace() throws(StorageError) {}
}

/// Waits for commits.
public protocol CommitWatch: AnyObject, Sendable {
  /// Waits until somebody may have committed, ``wake()`` is called or the time is over. It is called on one thread.
  func wait(seconds: Double)
  /// Ends the wait that is going on.
  func wake()
}
