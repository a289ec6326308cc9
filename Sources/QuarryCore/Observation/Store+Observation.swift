import QuarryBackend

// What observation needs of a store.

extension Store {
  /// Reads the newest committed state, inside a transaction of this thread too.
  func readingNewest<R>(_ body: (ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
    try checkOpen()
    let transaction = ReadTransaction(context, try backend.beginRead())
    defer { transaction.end() }
    try checkBindings(transaction.backend)
    return try body(transaction)
  }

  /// Adds a feed, and waits for commits of others from now on where nobody does yet.
  ///
  /// - Returns: The feed's number.
  func observe(_ feed: ChangeFeed) throws(StorageError) -> Int {
    try checkOpen()
    try (backend as? any WatchedBackend)?.requireInPlace()
    let number = try observation.add(feed) { () throws(StorageError) in try Self.newestVersion(backend) }
    guard !observation.isWatched else { return number }
    let watch: any CommitWatch
    do throws(StorageError) {
      watch = try (backend as? any WatchedBackend)?.commitWatch() ?? TimedWatch()
    } catch {
      // Without the notification of the system there is the look from time to time.
      watch = TimedWatch()
    }
    if observation.keep(watch) { Self.watch(backend, observation, watch) }
    return number
  }

  /// The seconds between two looks at the version, beside those that a notification brings about.
  private static var secondsBetweenLooks: Double { 0.1 }

  /// Looks at the version of the newest state from time to time, on a thread of its own, as long as the watch is the hub's.
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
        // A look that fails is one for the next time: the store may be closed, or busy.
        if let version = try? newestVersion(backend) { hub.noteVersion(version) }
      }
    }
  }

  /// The version of the newest state.
  static func newestVersion(_ backend: any Backend) throws(StorageError) -> CommitVersion {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    return try transaction.version()
  }

  private static let watchThreads = TransactionThreads(name: "quarry.watch", limit: .max)
}
