import CLMDB
import QuarryBackend
import Synchronization

/// Read transactions, which are kept in a pool between their uses.
extension LMDBEnvironment {
  /// A read transaction on the newest state, from the pool where there is one.
  @inline(__always)
  func takeReader() throws(StorageError) -> OpaquePointer {
    if let transaction = pool.take() {
      if mdb_txn_renew(transaction) == MDB_SUCCESS { return transaction }
      discard(transaction)
    }
    return try makeReader()
  }

  @inline(__always)
  func giveReader(_ transaction: OpaquePointer) {
    if isForked { return }
    mdb_txn_reset(transaction)
    if isDraining.load(ordering: .sequentiallyConsistent) || !pool.give(transaction) {
      discard(transaction)
    } else if isDraining.load(ordering: .sequentiallyConsistent) {
      drainPool()
    }
  }

  @inline(never)
  func makeReader() throws(StorageError) -> OpaquePointer {
    var attempts = 0
    while true {
      try retain()
      var transaction: OpaquePointer?
      let result = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
      if result == MDB_SUCCESS, let transaction { return transaction }
      release()
      attempts += 1
      switch result {
      case MDB_MAP_RESIZED where attempts < 10:
        try remap()
      case MDB_READERS_FULL where attempts < 3:
        clearStaleReaders()
        if let transaction = pool.take() {
          if mdb_txn_renew(transaction) == MDB_SUCCESS { return transaction }
          discard(transaction)
        }
      case MDB_READERS_FULL:
        throw .limitExceeded("open read transactions and snapshots", limit: maximumReaders, actual: maximumReaders + 1)
      default:
        throw StorageError(lmdb: result, "a read transaction of \(file.path) cannot begin")
      }
    }
  }

  /// A read transaction together with a table that has all trees of its state.
  func beginRead() throws(StorageError) -> (transaction: OpaquePointer, table: LMDBTreeTable) {
    var attempts = 0
    while true {
      // The table first: then the state is at least as new, and the transaction knows its handles.
      let before = newestTable.load(ordering: .acquiring)
      let transaction = try takeReader()
      let table = self.table
      if let table, table.bits == before, Self.records(transaction) == table.records { return (transaction, table) }
      giveReader(transaction)
      attempts += 1
      guard attempts < 100 else { throw StorageError(.busy, "other processes are creating trees in \(file.path)") }
      if newestTable.load(ordering: .acquiring) == before { try openHandles() }
    }
  }

  func drainPool() {
    while let transaction = pool.take() { discard(transaction) }
  }

  private func discard(_ transaction: OpaquePointer) {
    if isForked { return }
    mdb_txn_abort(transaction)
    release()
  }

  /// Frees what readers held that were killed.
  func clearStaleReaders() {
    var dead: Int32 = 0
    mdb_reader_check(environment, &dead)
  }
}
