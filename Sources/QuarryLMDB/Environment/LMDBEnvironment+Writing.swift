import CLMDB
import QuarryBackend
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Write transactions.
extension LMDBEnvironment {
  /// Begins a write transaction that knows the handles of all trees. Only after entering the gate.
  func beginWrite() throws(StorageError) -> (transaction: OpaquePointer, table: LMDBTreeTable) {
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    clearStaleReaders(afterGrowth: info)
    growMap(info)
    var attempts = 0
    while true {
      try retain()
      let table = self.table
      var transaction: OpaquePointer?
      let result = mdb_txn_begin(environment, nil, 0, &transaction)
      attempts += 1
      if result == MDB_SUCCESS, let transaction {
        if let table, Self.records(transaction) == table.records { return (transaction, table) }
        mdb_txn_abort(transaction)
        release()
        guard attempts < 10 else { throw StorageError(.busy, "other processes are creating trees in \(file.path)") }
        try openHandles()
      } else {
        release()
        guard result == MDB_MAP_RESIZED, attempts < 10 else {
          throw StorageError(lmdb: result, "a write transaction of \(file.path) cannot begin")
        }
        try remap()
      }
    }
  }

  /// The error of a call that writes.
  ///
  /// LMDB reports a write that the file system cut short as EIO, whatever the reason. Where no space is left, that was the
  /// reason.
  func writeFailure(_ result: Int32, _ what: String) -> StorageError {
    StorageError(lmdb: result == EIO && file.isOutOfSpace ? ENOSPC : result, what)
  }

  /// Looks for readers that were killed whenever the file has grown by 64 pages: they keep pages from being used again.
  private func clearStaleReaders(afterGrowth info: MDB_envinfo) {
    let checked = checkedPage.load(ordering: .relaxed)
    guard info.me_last_pgno > checked + 64 || info.me_last_pgno < checked else { return }
    checkedPage.store(info.me_last_pgno, ordering: .relaxed)
    clearStaleReaders()
  }
}
