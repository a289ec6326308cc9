import CLMDB
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who keeps the environment open: engines, writers that wait, transactions.
extension LMDBEnvironment {
  // MARK: Engines

  func addUser(_ options: Options) throws(StorageError) {
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

  func removeUser() {
    let isLast = state.withLock { state -> Bool in
      state.users -= 1
      return state.users == 0
    }
    if isLast {
      gate.endOrphan()
      isDraining.store(true, ordering: .sequentiallyConsistent)
      drainPool()
      LMDBRegistry.shared.closeIfUnused(self)
    }
  }

  /// Closes for good unless somebody uses it. Only for the registry.
  func closeIfUnused() -> Bool {
    let closes = state.withLock { state -> Bool in
      guard !state.isClosed, state.isUnused else { return false }
      state.isClosed = true
      return true
    }
    // A child leaves the parent's environment alone.
    if closes, !isForked { mdb_env_close(environment) }
    return closes
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
