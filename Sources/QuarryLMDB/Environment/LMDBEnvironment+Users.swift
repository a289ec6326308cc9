import CLMDB
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The users that keep the environment open: engines, waiting writers, transactions.
extension LMDBEnvironment {
  // MARK: Engines

  func addUser(_ options: Options) throws(StorageError) {
    try LMDBMarker.require(options.format, of: self.options.format, file.path)
    if isReadOnly, !options.isReadOnly {
      throw .inUse(by: processID, "\(file.path) is open for reading only in this process")
    }
    let isOpen = state.withLock { state -> Bool in
      guard !state.isClosed else { return false }
      state.users += 1
      isDraining.store(state.isRemapping, ordering: .sequentiallyConsistent)
      return true
    }
    if !isOpen { throw StorageError(.io, "\(file.path) is being closed") }
  }

  /// The number of engines that have the environment open.
  var users: Int { state.withLock { $0.users } }

  /// - Returns: Whether it was the last, so that ``endUse()`` is due.
  func dropUser() -> Bool {
    state.withLock { state -> Bool in
      state.users -= 1
      return state.users == 0
    }
  }

  /// Ends the transaction kept for the next use, and closes the environment when it has no users.
  func endUse() {
    gate.endOrphan()
    isDraining.store(true, ordering: .sequentiallyConsistent)
    drainPool()
    LMDBRegistry.shared.closeIfUnused(self)
  }

  /// Has the engines of an older environment from now on. Only for the succession.
  func takeUsers(of old: LMDBEnvironment) {
    let users = old.state.withLock { state in
      defer { state.users = 0 }
      return state.users
    }
    state.withLock { $0.users += users }
    if users == 0 { isDraining.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Stops keeping transactions: another environment has taken the place of this one. Its last user closes it.
  func retire() {
    isDraining.store(true, ordering: .sequentiallyConsistent)
    drainPool()
  }

  /// Closes for good unless it has users. Only for the registry.
  func closeIfUnused() -> Bool {
    let closes = state.withLock { state -> Bool in
      guard !state.isClosed, state.isUnused else { return false }
      state.isClosed = true
      return true
    }
    // A child leaves the parent's environment alone.
    if closes, !isForked { closeFiles() }
    return closes
  }

  /// Only when nothing uses it.
  func closeFiles() {
    mdb_env_close(environment)
    lockWatch.withLock { descriptor in
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }

  // MARK: Writers and transactions

  /// Keeps the environment open for a writer that waits: it locks a file that closing would close.
  func hold() throws(StorageError) {
    let isOpen = state.withLock { state -> Bool in
      if !state.isClosed { state.holds += 1 }
      return !state.isClosed
    }
    if !isOpen { throw .storeClosed }
  }

  func letGo() {
    let isLast = state.withLock { state -> Bool in
      state.holds -= 1
      return state.isUnused
    }
    if isLast { LMDBRegistry.shared.closeIfUnused(self) }
  }

  /// Counts a transaction that is about to begin.
  func retain() throws(StorageError) {
    var waited = 0
    while true {
      let isCounted: Bool? = state.withLock { state in
        if state.isClosed { return nil }
        if state.isRemapping { return false }
        state.transactions += 1
        return true
      }
      guard let isCounted else { throw .storeClosed }
      if isCounted { return }
      waited += 1
      if waited > 10_000 { throw StorageError(.busy, "the map of \(file.path) is being grown") }
      usleep(1_000)
    }
  }

  /// Counts a transaction off that has ended.
  func release() {
    let isLast = state.withLock { state -> Bool in
      state.transactions -= 1
      return state.isUnused
    }
    if isLast { LMDBRegistry.shared.closeIfUnused(self) }
  }
}
