import CLMDB
package import QuarryBackend
import QuarryKeyValue
import Synchronization

/// A committed state that is pinned by a read transaction of LMDB, which all threads that read the snapshot use at once.
///
/// LMDB asks that a transaction is used by one thread at a time, because of what it writes into it. In a transaction
/// that reads that is one thing only: the record of a database, which is looked up at its first use (`DB_STALE` in
/// LMDB's source). It is looked up here for every tree, before another thread gets to see the transaction; after that
/// `mdb_get`, `mdb_stat` and cursors, each of its own memory, read the transaction and write nothing. So does LMDB 0.9;
/// other versions are refused when a store is opened.
///
/// Sendable unchecked: the transaction is used as said, and given back once, under `state`, when there are no more readers.
package final class LMDBSnapshot: KeyValueSnapshot, @unchecked Sendable {
  private struct State {
    var readers = 0
    var hasGivenBack = false
  }

  package let version: CommitVersion
  private let engine: LMDBEngine
  private let environment: LMDBEnvironment
  private let transaction: OpaquePointer
  private let table: LMDBTreeTable
  private let closed = Atomic(false)
  private let state = Mutex(State())

  init(_ engine: LMDBEngine) throws(StorageError) {
    self.engine = engine
    (environment, transaction, table) = try engine.begin()
    version = CommitVersion(UInt64(mdb_txn_id(transaction)))
    for (tree, handle) in table.all {
      var figures = MDB_stat()
      let result = mdb_stat(transaction, handle, &figures)
      if result != MDB_SUCCESS {
        environment.giveReader(transaction)
        throw StorageError(lmdb: result, "the tree \(tree) cannot be read")
      }
    }
  }

  deinit {
    close()
  }

  @inline(__always) var isClosed: Bool { closed.load(ordering: .acquiring) }

  package func beginRead() throws(StorageError) -> LMDBReadTransaction {
    try engine.requireOpen()
    let isOpen = state.withLock { state -> Bool in
      if state.hasGivenBack || isClosed { return false }
      state.readers += 1
      return true
    }
    if !isOpen { throw .snapshotClosed }
    return LMDBReadTransaction(engine, environment, transaction, table, snapshot: self)
  }

  /// Called when a transaction on the snapshot has ended.
  func endRead() {
    giveBack { $0.readers -= 1 }
  }

  package func close() {
    closed.store(true, ordering: .releasing)
    giveBack { _ in }
  }

  private func giveBack(_ change: (inout State) -> Void) {
    let isLast = state.withLock { state -> Bool in
      change(&state)
      guard isClosed, state.readers == 0, !state.hasGivenBack else { return false }
      state.hasGivenBack = true
      return true
    }
    if isLast { environment.giveReader(transaction) }
  }
}
