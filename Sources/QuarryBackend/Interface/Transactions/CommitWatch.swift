/// A backend that is notified when another process, or another store on the same place, may have committed.
///
/// This protocol is optional: without it Quarry checks the version of the newest state from time to time.
public protocol WatchedBackend: Backend {
  /// Begins to wait for commits.
  ///
  /// - Returns: The watch; nil where the engine is not notified of commits.
  /// - Throws: `closed`, `io`.
  func commitWatch() throws(StorageError) -> (any CommitWatch)?
  /// Checks that the path of the store still names the open files.
  ///
  /// Called a few times a second while the store has observers.
  ///
  /// - Throws: `io` (`StorageError.removedOrReplaced`) when the store was removed or replaced while it was open.
  func requireInPlace() throws(StorageError)
}

extension WatchedBackend {
  /// Does nothing, and throws nothing: the store has no path.
  public func requireInPlace() throws(StorageError) {}
}

/// A backend whose stores are on a server of several machines: no program puts one back while another has it open.
package protocol ServerBackend: Backend {}

extension Backend {
  /// Whether the store is on a server, also under layers.
  package var isOnServer: Bool {
    self is any ServerBackend || (self as? BackendLayer)?.base.isOnServer == true
  }
}

/// Waits for commits.
public protocol CommitWatch: AnyObject, Sendable {
  /// Waits until another user may have committed, ``wake()`` is called or the time is over.
  ///
  /// It is called on one thread.
  ///
  /// - Parameter seconds: The longest wait, any number: see ``Deadline``.
  func wait(seconds: Double)
  /// Ends the wait in progress.
  func wake()
}
