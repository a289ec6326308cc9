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
  @exclusivity(unchecked) private var trees: [TreeID: LMDBWriteTree] = [:]
  /// The tree that was used last.
  @exclusivity(unchecked) private var last: LMDBWriteTree?
  @exclusivity(unchecked) private var beforeLast: LMDBWriteTree?
  private let log = LMDBUndoLog()
  /// Where the log was at each open savepoint.
  @exclusivity(unchecked) private var savepoints: [Int] = []
  @exclusivity(unchecked) private var stamp: UInt64 = 0
  @exclusivity(unchecked) private var hasChanged = false
  /// Trees that this transaction made: their handles become common with its commit.
  @exclusivity(unchecked) private var made: [(tree: TreeID, handle: MDB_dbi)] = []
  /// The error after which LMDB lets the transaction only be rolled back.
  @exclusivity(unchecked) private var failure: StorageError?
  /// Cursors that are open, of walks and of trees.
  @exclusivity(unchecked) private var cursors: [OpaquePointer] = []
  /// Cursors of walks that have ended, on whatever thread.
  private let unused = Mutex<[UInt]>([])

  override init(_ engine: LMDBEngine, _ transaction: OpaquePointer, _ table: LMDBTreeTable) {
    version = CommitVersion(UInt64(mdb_txn_id(transaction)) &- 1)
    super.init(engine, transaction, table)
  }

  deinit {
    end()
  }

  @inline(__always)
  private func requireUsable() throws(StorageError) {
    try requireOpen()
    if let failure { throw failure }
  }

  /// Notes that LMDB will do no more in this transaction.
  private func fail(_ result: Int32, _ what: String) -> StorageError {
    let error = engine.environment.writeFailure(result, what)
    failure = error
    // What readers held that were killed is free for the next transaction.
    if error.code == .full { engine.environment.clearStaleReaders() }
    return error
  }

  // MARK: Trees and cursors

  @inline(__always)
  private func tree(_ id: TreeID) -> LMDBWriteTree {
    if let last, last.id == id { return last }
    return find(id)
  }

  @inline(never)
  private func find(_ id: TreeID) -> LMDBWriteTree {
    let found: LMDBWriteTree
    if let beforeLast, beforeLast.id == id {
      found = beforeLast
    } else {
      found = trees[id] ?? LMDBWriteTree(id, table.handle(id))
      trees[id] = found
    }
    beforeLast = last
    last = found
    return found
  }

  /// The cursor that writes to a tree, which is made if it is not there.
  @inline(__always)
  private func writer(_ tree: LMDBWriteTree) throws(StorageError) -> OpaquePointer {
    if let cursor = tree.cursor { return cursor }
    return try makeWriter(tree)
  }

  @inline(never)
  private func makeWriter(_ tree: LMDBWriteTree) throws(StorageError) -> OpaquePointer {
    let handle = if let handle = tree.handle { handle } else { try make(tree) }
    var cursor: OpaquePointer?
    let result = mdb_cursor_open(transaction, handle, &cursor)
    guard result == MDB_SUCCESS, let cursor else { throw fail(result, "a cursor cannot be opened") }
    cursors.append(cursor)
    tree.cursor = cursor
    return cursor
  }

  private func make(_ tree: LMDBWriteTree) throws(StorageError) -> MDB_dbi {
    // Until the end, because the handle is not common before the commit, and LMDB gives its number to who asks next.
    if made.isEmpty { engine.environment.lockHandles() }
    var handle: MDB_dbi = 0
    let result = LMDBEnvironment.name(tree.id).withCString { name in
      mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &handle)
    }
    guard result == MDB_SUCCESS else {
      if made.isEmpty { engine.environment.unlockHandles() }
      if result == MDB_DBS_FULL {
        throw StorageError(
          .limitExceeded, "the store has no room for more trees until it is closed everywhere and opened again")
      }
      throw fail(result, "a tree cannot be made")
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
      cursors.removeAll { $0 == cursor }
    }
    let walk = try LMDBWalk(transaction, handle, range, descending: descending)
    cursors.append(walk.cursor)
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
    if LMDBKey.isLengthened(key) || key.count > engine.environment.maximumKeyBytes {
      return try Self.value(transaction, handle, key)
    }
    // With the cursor that writes: what is read is often written next, and then the cursor stands there.
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var value = MDB_val()
    let result = try mdb_cursor_get(writer(tree), &keyValue, &value, MDB_SET)
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

  // MARK: Changes

  /// Calls the body with the key as it stands in LMDB, after its length was compared with the limit.
  @inline(__always)
  private func withStored<R>(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    if key.count > engine.environment.maximumKeyBytes {
      throw .limitExceeded("bytes of a key", limit: engine.environment.maximumKeyBytes, actual: key.count)
    }
    if !LMDBKey.isLengthened(key) { return try body(key) }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + 1, alignment: 1)
    defer { copy.deallocate() }
    copy.initializeMemory(as: UInt8.self, repeating: 0)
    return try body(UnsafeRawBufferPointer(copy))
  }

  private func didChange(_ tree: LMDBWriteTree) {
    stamp &+= 1
    tree.stamp = stamp
    hasChanged = true
  }

  /// Stores a new key, if it is new.
  ///
  /// - Returns: Nil when it was new and is stored; else the value that is there, where the cursor stands.
  @inline(__always)
  private func add(
    _ tree: LMDBWriteTree, _ cursor: OpaquePointer, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    if value.count > LMDBConfiguration.maximumValueBytes {
      throw .limitExceeded("bytes of a value", limit: LMDBConfiguration.maximumValueBytes, actual: value.count)
    }
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var data = MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
    if tree.appends {
      let result = mdb_cursor_put(cursor, &keyValue, &data, UInt32(MDB_APPEND))
      if result == MDB_SUCCESS { return nil }
      guard result == MDB_KEYEXIST else { throw fail(result, "a value cannot be stored") }
      tree.didNotAppend()
    }
    let result = mdb_cursor_put(cursor, &keyValue, &data, UInt32(MDB_NOOVERWRITE))
    if result == MDB_SUCCESS {
      tree.didInsert(key)
      return nil
    }
    guard result == MDB_KEYEXIST else { throw fail(result, "a value cannot be stored") }
    return UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)
  }

  @discardableResult
  package func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try requireUsable()
    return try withStored(key) { key throws(StorageError) in
      let tree = self.tree(tree)
      return try store(tree, key, value, isLogged: !savepoints.isEmpty)
    }
  }

  /// - Returns: Whether the key was new.
  private func store(
    _ tree: LMDBWriteTree, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isLogged: Bool
  ) throws(StorageError) -> Bool {
    let cursor = try writer(tree)
    guard let old = try add(tree, cursor, key, value) else {
      didChange(tree)
      if isLogged { try logged { () throws(StorageError) in try log.append(tree.id, key, nil) } }
      return true
    }
    if isLogged { try log.append(tree.id, key, old) }
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var data = MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
    let result = mdb_cursor_put(cursor, &keyValue, &data, UInt32(MDB_CURRENT))
    guard result == MDB_SUCCESS else { throw fail(result, "a value cannot be replaced") }
    didChange(tree)
    return false
  }

  /// A change that cannot be noted cannot be undone: then all of the transaction must be.
  private func logged(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) { try body() } catch {
      failure = error
      throw error
    }
  }

  package func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try requireUsable()
    return try withStored(key) { key throws(StorageError) in
      let tree = self.tree(tree)
      if try add(tree, writer(tree), key, value) != nil { return false }
      didChange(tree)
      if !savepoints.isEmpty { try logged { () throws(StorageError) in try log.append(tree.id, key, nil) } }
      return true
    }
  }

  package func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try requireUsable()
    if key.count > engine.environment.maximumKeyBytes { return false }
    return try withStored(key) { key throws(StorageError) in
      try remove(self.tree(tree), key, isLogged: !savepoints.isEmpty)
    }
  }

  private func remove(
    _ tree: LMDBWriteTree, _ key: UnsafeRawBufferPointer, isLogged: Bool
  ) throws(StorageError) -> Bool {
    guard tree.handle != nil else { return false }
    let cursor = try writer(tree)
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var value = MDB_val()
    var result = mdb_cursor_get(cursor, &keyValue, &value, MDB_SET)
    if result == MDB_NOTFOUND { return false }
    guard result == MDB_SUCCESS else { throw fail(result, "a key cannot be looked up") }
    if isLogged {
      try log.append(tree.id, key, UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
    result = mdb_cursor_del(cursor, 0)
    guard result == MDB_SUCCESS else { throw fail(result, "a key cannot be removed") }
    didChange(tree)
    return true
  }

  /// A whole tree is dropped page by page, unless it may have to come back.
  package func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try requireUsable()
    let tree = self.tree(tree)
    guard let handle = tree.handle else { return 0 }
    if range == .all, savepoints.isEmpty {
      let entries = try figures(handle).entries
      guard entries > 0 else { return 0 }
      let result = mdb_drop(transaction, handle, 0)
      guard result == MDB_SUCCESS else { throw fail(result, "a tree cannot be emptied") }
      tree.appends = true
      didChange(tree)
      return entries
    }
    let walk = try LMDBWalk(transaction, handle, range, descending: false)
    defer { mdb_cursor_close(walk.cursor) }
    var count = 0
    while try walk.advance() {
      if !savepoints.isEmpty {
        let key = UnsafeRawBufferPointer(start: walk.key.mv_data, count: walk.key.mv_size)
        try log.append(tree.id, key, walk.valueBytes)
      }
      // The next step stays where it is, because what stood there is gone.
      let result = mdb_cursor_del(walk.cursor, 0)
      guard result == MDB_SUCCESS else { throw fail(result, "a key cannot be removed") }
      count += 1
    }
    if count > 0 {
      // Pages have gone under the cursor that writes, and where it thinks that the end of the tree is may be one of them.
      if let cursor = tree.cursor {
        tree.cursor = nil
        cursors.removeAll { $0 == cursor }
        mdb_cursor_close(cursor)
      }
      didChange(tree)
    }
    return count
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
    // Cursors end with the rollback, whether their tree was changed or not.
    stamp &+= 1
    for tree in trees.values { tree.stamp = stamp }
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
    hasEnded = true
    closeCursors()
    let environment = engine.environment
    let committed = CommitVersion(UInt64(mdb_txn_id(transaction)))
    var records = table.records
    if !made.isEmpty { records = LMDBEnvironment.records(transaction) }
    mdb_env_set_flags(environment.environment, UInt32(MDB_NOSYNC), engine.durability == .powerLoss ? 0 : 1)
    let result = mdb_txn_commit(transaction)
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
    for cursor in cursors { mdb_cursor_close(cursor) }
    cursors = []
    trees = [:]
    last = nil
    beforeLast = nil
  }

  package func end() {
    if hasEnded { return }
    hasEnded = true
    let environment = engine.environment
    if environment.isForked { return }
    // Everything that the end needs, without this object: it may be going at this moment.
    let ending = Ending(
      environment: environment, transaction: UInt(bitPattern: transaction),
      cursors: cursors.map { UInt(bitPattern: $0) }, holdsHandles: !made.isEmpty)
    cursors = []
    if quarry_lmdb_thread() == thread {
      ending.run()
    } else {
      environment.gate.adopt(LMDBWriterGate.Orphan(thread: thread) { ending.run() })
    }
  }

  /// What there is to do at the end of a transaction that is rolled back. Pointers are numbers here, because they go to
  /// the thread that began the transaction.
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
