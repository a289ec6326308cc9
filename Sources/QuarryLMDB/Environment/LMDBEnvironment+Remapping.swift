import CLMDB
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The map in memory, which becomes larger as the store grows, here or in another process.
extension LMDBEnvironment {
  /// Follows a file that another process has made larger than this map, when no transaction of this process is open.
  ///
  /// - Throws: `busy` when transactions stay open; `full` when the system refuses the memory.
  func remap() throws(StorageError) {
    if try !exchangeMap(patience: 5) {
      throw StorageError(.busy, "\(file.path) has grown beyond this process's map, and transactions are open on it")
    }
  }

  /// Makes the map larger once half of it is in use, if no transaction of this process is open.
  ///
  /// Only after entering the gate, and before beginning a transaction.
  ///
  /// Where transactions stay open it is tried again when the file has grown further: half of the map is left until then.
  func growMap(_ info: MDB_envinfo) {
    let pages = info.me_last_pgno
    guard info.me_mapsize < options.mapBytes, pages >= info.me_mapsize / pageSize / 2,
      pages >= ungrownPage.load(ordering: .relaxed)
    else { return }
    let isNearlyFull = pages >= info.me_mapsize / pageSize / 16 * 15
    if (try? exchangeMap(patience: isNearlyFull ? 1 : 0.02)) != true {
      ungrownPage.store(pages + info.me_mapsize / pageSize / 64 + 1, ordering: .relaxed)
    }
  }

  /// Lets the next writer try to make the map larger: in a full one the file does not grow further.
  func growSoon() { ungrownPage.store(0, ordering: .relaxed) }

  /// - Parameter patience: How many seconds to wait for the transactions of this process. No other begins meanwhile.
  /// - Returns: Whether that was done, or another thread does it; if not, transactions stayed open.
  private func exchangeMap(patience: Double) throws(StorageError) -> Bool {
    let isMine = state.withLock { state -> Bool in
      if state.isRemapping || state.isClosed { return false }
      state.isRemapping = true
      return true
    }
    // The caller tries again when it is done.
    guard isMine else { return true }
    isDraining.store(true, ordering: .sequentiallyConsistent)
    defer {
      state.withLock { state in
        state.isRemapping = false
        isDraining.store(state.users == 0, ordering: .sequentiallyConsistent)
      }
    }
    let start = ContinuousClock.now
    while true {
      drainPool()
      if state.withLock({ $0.transactions }) == 0 { break }
      if ContinuousClock.now - start > .seconds(patience) { return false }
      usleep(500)
    }
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    // A damaged file may say anything.
    let (needed, overflows) = (info.me_last_pgno &+ 1).multipliedReportingOverflow(by: pageSize)
    guard !overflows else { throw StorageError(.corrupt, "\(file.path) claims to have more pages than possible") }
    let size = try LMDBMapSize.growing(from: info.me_mapsize, needed: needed, limit: options.mapBytes, file.path)
    forgetMap()
    let result = mdb_env_set_mapsize(environment, size)
    if result != MDB_SUCCESS { throw StorageError(lmdb: result, "the map of \(file.path) cannot be grown") }
    return true
  }
}
