import QuarryBackend

// The parts of a store that observation needs.

extension Store {
  /// Reads the newest committed state, inside a transaction of this thread too.
  func readingNewest<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    try checkOpen()
    return try repeating { () throws(StorageError) in
      let transaction = ReadTransaction(context, try backend.beginRead())
      defer { transaction.end() }
      try checkBindings(transaction.backend)
      return try body(transaction)
    }
  }

  /// Adds a feed, and starts to watch for commits of other connections if no watch exists yet.
  ///
  /// - Returns: The feed's number.
  func observe(_ feed: ChangeFeed) throws(StorageError) -> Int {
    try checkOpen()
    try (backend as? any WatchedBackend)?.requireInPlace()
    let number = try observation.add(feed) { () throws(StorageError) in try newestVersion() }
    guard !observation.isWatched else { return number }
    let watch: any CommitWatch
    do throws(StorageError) {
      watch = try (backend as? any WatchedBackend)?.commitWatch() ?? TimedWatch()
    } catch {
      // Without the system's notification the periodic check remains.
      watch = TimedWatch()
    }
    if observation.keep(watch) { Self.watch(backend, observation, watch) }
    return number
  }

  /// The seconds between two checks of the version, in addition to the checks that a notification causes.
  private static var secondsBetweenLooks: Double { 0.1 }

  /// Checks the version of the newest state periodically, on a thread of its own, as long as the watch is the hub's.
  private static func watch(_ backend: any Backend, _ hub: ObservationHub, _ watch: any CommitWatch) {
    watchThreads.run { [weak backend, weak hub] in
      while true {
        watch.wait(seconds: secondsBetweenLooks)
        guard let backend, let hub, hub.isWatched(by: watch) else { return }
        do throws(StorageError) {
          try (backend as? any WatchedBackend)?.requireInPlace()
        } catch {
          hub.fail(error)
          continue
        }
        do throws(StorageError) {
          hub.noteVersion(try newestVersion(backend))
          hub.retry()
        } catch {
          // Any other check that fails is left to the next one: the store may be closed, or busy.
          if error.isRemovedOrReplaced { hub.fail(error) }
        }
      }
    }
  }

  /// The version of the newest state, read again when the read conflicts.
  func newestVersion() throws(StorageError) -> CommitVersion {
    try repeating { () throws(StorageError) in try Self.newestVersion(backend) }
  }

  /// The version of the newest state.
  private static func newestVersion(_ backend: any Backend) throws(StorageError) -> CommitVersion {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    return try transaction.version()
  }

  private static let watchThreads = TransactionThreads(name: "quarry.watch", limit: .max)
}
