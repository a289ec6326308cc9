import CLMDB
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The map in memory, which another process may have made larger.
extension LMDBEnvironment {
  /// Follows a map that another process has grown, when no transaction of this process is open.
  ///
  /// - Throws: `busy` when transactions stay open; `full` when the system refuses the memory.
  func remap() throws(StorageError) {
    let isMine = state.withLock { state -> Bool in
      if state.isRemapping || state.isClosed { return false }
      state.isRemapping = true
      return true
    }
    // Another thread does it; the caller tries again when it is done.
    guard isMine else { return }
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
      if ContinuousClock.now - start > .seconds(5) {
        throw StorageError(.busy, "\(file.path) has grown beyond this process's map, and transactions are open on it")
      }
      usleep(500)
    }
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    // LMDB unmaps before it maps, and has no map at all when that fails: so the memory is tried for first.
    let needed = max(info.me_mapsize, (info.me_last_pgno + 1) * pageSize) * 2
    let room = mmap(nil, needed, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let room, room != MAP_FAILED else {
      throw StorageError(.full, "the system refuses \(needed) bytes of address space")
    }
    munmap(room, needed)
    forgetMap()
    let result = mdb_env_set_mapsize(environment, 0)
    if result != MDB_SUCCESS { throw StorageError(lmdb: result, "the map of \(file.path) cannot be grown") }
  }
}
