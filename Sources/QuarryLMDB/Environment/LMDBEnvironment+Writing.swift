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

  // MARK: Commits

  /// Commits, and puts the meta page back whose writing the disk refused. Only after entering the gate.
  ///
  /// LMDB writes such a page again with the old number, but with the records of the refused commit (`mdb_env_write_meta` in its
  /// source). The check of a store would take them for a commit whose number was changed.
  ///
  /// - Returns: The result of `mdb_txn_commit`.
  func commit(_ transaction: OpaquePointer) -> Int32 {
    let number = UInt64(mdb_txn_id(transaction))
    let isKept = keepMeta(ofCommit: number)
    let result = mdb_txn_commit(transaction)
    if result != MDB_SUCCESS, isKept { restoreMeta(ofCommit: number) }
    return result
  }

  /// Keeps what the meta page has that a commit writes: of the map, where that is known, else of the file.
  func keepMeta(ofCommit number: UInt64) -> Bool {
    let place = metaPlace(ofCommit: number)
    if let start = UnsafeRawPointer(bitPattern: knownStart.load(ordering: .relaxed)) {
      formerMeta.copyMemory(from: UnsafeRawBufferPointer(start: start + place, count: formerMeta.count))
      return true
    }
    return (try? fileReader.read(into: formerMeta, at: place)) == formerMeta.count
  }

  /// Puts the kept page back where the file has its number with other records.
  ///
  /// A page that has the new number has the commit as a whole: LMDB could not write the old number, and the commit stays.
  ///
  /// LMDB's own lock is not held any more, and programs without Quarry do not know the gate. So a plain store is left alone while
  /// another process has it open; the next commit writes this page.
  func restoreMeta(ofCommit number: UInt64) {
    if !options.format.hasPages, otherUserOfLMDB() != nil { return }
    let place = metaPlace(ofCommit: number)
    let former = UnsafeRawBufferPointer(formerMeta)
    guard let now = try? fileReader.bytes(former.count, at: place), now.count == former.count,
      !now.elementsEqual(former), LMDBMeta.number(now) == LMDBMeta.number(Array(former))
    else { return }
    // Where the disk refuses this, too, the store is as LMDB left it: its state is whole, and a check refuses it until a commit
    // has written this page.
    let descriptor = fileReader.descriptor
    while pwrite(descriptor, former.baseAddress, former.count, off_t(place)) < 0, errno == EINTR {}
    _ = fsync(descriptor)
  }

  private func metaPlace(ofCommit number: UInt64) -> Int {
    number % 2 == 0 ? 0 : pageSize
  }

  /// Looks for readers that were killed whenever the file has grown by 64 pages: they keep pages from being used again.
  private func clearStaleReaders(afterGrowth info: MDB_envinfo) {
    let checked = checkedPage.load(ordering: .relaxed)
    guard info.me_last_pgno > checked + 64 || info.me_last_pgno < checked else { return }
    checkedPage.store(info.me_last_pgno, ordering: .relaxed)
    clearStaleReaders()
  }
}
