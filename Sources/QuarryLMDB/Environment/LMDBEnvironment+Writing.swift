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

  // MARK: A refused meta page

  /// The bytes of the meta page that a commit is about to write over, which ``restore(_:ofCommit:)`` puts back.
  ///
  /// - Parameter number: The number of the commit.
  /// - Returns: Nil in a plain store, where the programs of others write without the gate, and where the page cannot be read.
  func formerMeta(ofCommit number: UInt64) -> [UInt8]? {
    guard options.format.hasPages else { return nil }
    return try? fileReader.bytes(LMDBMeta.byteCount, at: metaPlace(ofCommit: number))
  }

  /// Puts a meta page back whose writing the disk refused.
  ///
  /// LMDB writes such a page again with the old number, but with the records of the refused commit (`mdb_env_write_meta` in its
  /// source). The check of a store would take them for a commit whose number was changed. Only while the gate is held.
  func restore(_ former: [UInt8], ofCommit number: UInt64) {
    let (file, place) = (fileReader, metaPlace(ofCommit: number))
    guard let now = try? file.bytes(former.count, at: place), now.count == former.count, now != former,
      LMDBMeta.number(now) == LMDBMeta.number(former)
    else { return }
    // Where the disk refuses this, too, the store is as LMDB left it.
    _ = former.withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(place)) }
    _ = fsync(file.descriptor)
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
