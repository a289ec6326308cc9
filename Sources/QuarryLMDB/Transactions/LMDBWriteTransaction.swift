import CLMDB
package import QuarryBackend
package import QuarryKeyValue
import Synchronization

/// The write transaction.
///
/// Savepoints are an undo log of the engine's own and not nested transactions of LMDB, which cost two megabytes of address
/// space and a copy of every page again for each statement (docs/decisions/0008).
package final class LMDBWriteTransaction: LMDBTransaction, KeyValueWriteTransaction {
  /// The version of the state that it began with.
  package let version: CommitVersion
  private let thread = quarry_lmdb_thread()
  final let room: LMDBWriteRoom
  /// The tree that was used last.
  @exclusivity(unchecked) private var last: LMDBWriteTree?
  @exclusivity(unchecked) private var beforeLast: LMDBWriteTree?
  /// The room's, without a reference to count for each entry.
  final let log: LMDBUndoLog
  /// Where the log was at each open savepoint.
  @exclusivity(unchecked) final var savepoints: [Int] = []
  @exclusivity(unchecked) final var stamp: UInt64 = 0
  @exclusivity(unchecked) final var hasChanged = false
  /// Trees that this transaction made: their handles become common with its commit.
  @exclusivity(unchecked) private var made: [(tree: TreeID, handle: MDB_dbi)] = []
  /// The error after which LMDB lets the transaction only be rolled back.
  @exclusivity(unchecked) final var failure: StorageError?
  /// The start of the map of a store whose trees are in pages: the heads of its values are checked before LMDB follows them.
  final let mapStart: UnsafeRawPointer?
  /// Cursors of walks that have ended, on whatever thread.
  private let unused = Mutex<[UInt]>([])

  override init(
    _ engine: LMDBEngine, _ environment: LMDBEnvironment, _ transaction: OpaquePointer, _ table: LMDBTreeTable
  ) {
    version = CommitVersion(UInt64(mdb_txn_id(transaction)) &- 1)
    mapStart = environment.options.format.hasPages ? environment.mapStart(in: transaction) : nil
    room = environment.spareRoom.take() ?? LMDBWriteRoom()
    room.begin()
    log = room.log
    super.init(engine, environment, transaction, table)
  }

  deinit {
    end()
    if room.isSmall { environment.spareRoom.keep(room) }
  }

  @inline(__always)
  final func requireUsable() throws(StorageError) {
    try requireOpen()
    if let failure { throw failure }
  }

  /// Notes that LMDB will do no more in this transaction.
  final func fail(_ result: Int32, _ what: String) -> StorageError {
    let error = environment.writeFailure(result, what)
    failure = error
    // Pages held by killed readers are free for the next transaction.
    if error.code == .full {
      environment.clearStaleReaders()
      environment.growSoon()
    }
    return error
  }

  // MARK: Trees and cursors

  @inline(__always)
  final func tree(_ id: TreeID) -> LMDBWriteTree {
    if let last, last.id == id { return last }
    return find(id)
  }

  @inline(never)
  private func find(_ id: TreeID) -> LMDBWriteTree {
    let found: LMDBWriteTree
    if let beforeLast, beforeLast.id == id {
      found = beforeLast
    } else {
      found = room.tree(id, table)
    }
    beforeLast = last
    last = found
    return found
  }

  /// The cursor that writes to a tree, which is made if it is not there.
  @inline(__always)
  final func writer(_ tree: LMDBWriteTree) throws(StorageError) -> OpaquePointer {
    if let cursor = tree.cursor { return cursor }
    return try makeWriter(tree)
  }

  @inline(never)
  private func makeWriter(_ tree: LMDBWriteTree) throws(StorageError) -> OpaquePointer {
    let handle = if let handle = tree.handle { handle } else { try make(tree) }
    var cursor: OpaquePointer?
    let result = mdb_cursor_open(transaction, handle, &cursor)
    guard result == MDB_SUCCESS, let cursor else { throw fail(result, "a cursor cannot be opened") }
    room.cursors.append(cursor)
    tree.cursor = cursor
    return cursor
  }

  private func make(_ tree: LMDBWriteTree) throws(StorageError) -> MDB_dbi {
    // Held until the transaction ends, because the handle is not common before the commit, and LMDB gives its number to the next
    // caller.
    if made.isEmpty { environment.lockHandles() }
    var handle: MDB_dbi = 0
    let result = LMDBEnvironment.name(tree.id).withCString { name in
      mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &handle)
    }
    guard result == MDB_SUCCESS else {
      if made.isEmpty { environment.unlockHandles() }
      if result == MDB_DBS_FULL {
        throw StorageError(
          .limitExceeded, "the store has no room for more trees until it is closed everywhere and opened again")
      }
      throw fail(result, "a tree cannot be created")
    }
    made.append((tree.id, handle))
    tree.handle = handle
    hasChanged = true
    return handle
  }

  private func walk(
    _ handle: MDB_dbi, _ range: KeyRange, descending: Bool
  ) throws(StorageError) -> LMDBWalk {
    let ended = unused.withLock { unused in
      let ended = unused
      unused = []
      return ended
    }
    for bits in ended {
      guard let cursor = OpaquePointer(bitPattern: bits) else { continue }
      mdb_cursor_close(cursor)
      room.cursors.removeAll { $0 == cursor }
    }
    let walk = try LMDBWalk(transaction, handle, range, descending: descending)
    room.cursors.append(walk.cursor)
    return walk
  }

  /// Cursors of a write transaction are in LMDB's lists, so that they are closed on its own thread, and before its end.
  override func giveBack(_ cursor: OpaquePointer) {
    unused.withLock { $0.append(UInt(bitPattern: cursor)) }
  }

  override func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireUsable()
    if self.tree(tree).stamp != stamp { throw .cursorEnded }
  }

  // MARK: Reading

  package func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try requireUsable()
    let tree = self.tree(tree)
    guard let handle = tree.handle else { return nil }
    if LMDBKey.isLengthened(key) || key.count > environment.maximumKeyBytes {
      return try Self.value(transaction, handle, key)
    }
    // With the cursor that writes: what is read is often written next, and then the cursor stands there.
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var value = MDB_val()
    let result = try mdb_cursor_get(writer(tree), &keyValue, &value, MDB_SET)
    tree.hasRead = result == MDB_SUCCESS
    if result == MDB_SUCCESS { return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size) }
    return try Self.absent(result)
  }

  package func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> LMDBCursor {
    try requireUsable()
    let found = self.tree(tree)
    return LMDBCursor(
      self, tree, stamp: found.stamp,
      try found.handle.map { handle throws(StorageError) in try walk(handle, range, descending: descending) })
  }

  package func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try requireUsable()
    guard let handle = self.tree(tree).handle else { return 0 }
    return try countEntries(handle, range)
  }

  package func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try requireUsable()
    guard let handle = self.tree(tree).handle else { return KeyValueTreeStatistics(entries: 0, bytes: 0) }
    return try figures(handle)
  }

  // MARK: Savepoints

  package func savepoint() throws(StorageError) {
    try requireUsable()
    savepoints.append(log.count)
  }

  package func releaseSavepoint() throws(StorageError) {
    try requireUsable()
    if savepoints.popLast() == nil { throw .noSavepoint }
    if savepoints.isEmpty { log.removeAll() }
  }

  package func rollbackSavepoint() throws(StorageError) {
    try requireUsable()
    guard let place = savepoints.popLast() else { throw .noSavepoint }
    do throws(StorageError) {
      // The trees that change get new stamps, so that their cursors end; others continue.
      try log.undo(to: place) { tree, key, value throws(StorageError) in
        let tree = self.tree(tree)
        if let value {
          _ = try store(tree, key, value, isLogged: false)
        } else {
          _ = try remove(tree, key, isLogged: false)
        }
      }
    } catch {
      failure = error
      throw error
    }
    if savepoints.isEmpty { log.removeAll() }
  }

  // MARK: End

  /// - Returns: The version of the new state, or of the old one when nothing was changed.
  package func commit() throws(StorageError) -> CommitVersion {
    defer { end() }
    try requireUsable()
    guard quarry_lmdb_thread() == thread else {
      throw StorageError(.wrongThread, "a write transaction is committed by the thread that began it")
    }
    if !hasChanged { return version }
    try engine.requireInPlace(environment)
    hasEnded = true
    closeCursors()
    let committed = CommitVersion(UInt64(mdb_txn_id(transaction)))
    var records = table.records
    if !made.isEmpty { records = LMDBEnvironment.records(transaction) }
    mdb_env_set_flags(environment.environment, UInt32(MDB_NOSYNC), engine.durability == .powerLoss ? 0 : 1)
    let result = environment.commit(transaction)
    if !made.isEmpty {
      if result == MDB_SUCCESS { environment.publish(LMDBTreeTable(table.all + made, records: records)) }
      environment.unlockHandles()
      made = []
    }
    let failure =
      result == MDB_SUCCESS ? nil : environment.writeFailure(result, "the commit failed and was rolled back")
    if failure?.code == .full { environment.clearStaleReaders() }
    environment.gate.leave()
    environment.release()
    if let failure { throw failure }
    return committed
  }

  private func closeCursors() {
    for cursor in room.cursors { mdb_cursor_close(cursor) }
    room.cursors.removeAll(keepingCapacity: true)
    last = nil
    beforeLast = nil
  }

  package func end() {
    if hasEnded { return }
    hasEnded = true
    if environment.isForked { return }
    // Everything that the end needs, without this object: it may be going at this moment.
    let ending = Ending(
      environment: environment, transaction: UInt(bitPattern: transaction),
      cursors: room.cursors.map { UInt(bitPattern: $0) }, holdsHandles: !made.isEmpty)
    room.cursors.removeAll(keepingCapacity: true)
    if quarry_lmdb_thread() == thread {
      ending.run()
    } else {
      environment.gate.adopt(LMDBWriterGate.Orphan(thread: thread) { ending.run() })
    }
  }

  /// The work at the end of a transaction that is rolled back.
  ///
  /// Pointers are numbers here, because they are passed to the thread that began the transaction.
  private struct Ending: Sendable {
    var environment: LMDBEnvironment
    var transaction: UInt
    var cursors: [UInt]
    var holdsHandles: Bool

    func run() {
      for cursor in cursors { mdb_cursor_close(OpaquePointer(bitPattern: cursor)) }
      mdb_txn_abort(OpaquePointer(bitPattern: transaction))
      if holdsHandles { environment.unlockHandles() }
      environment.gate.leave()
      environment.release()
    }
  }
}
