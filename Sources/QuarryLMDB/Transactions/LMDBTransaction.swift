import CLMDB
package import QuarryBackend
package import QuarryKeyValue

/// The common part of read and write transactions, which their cursors use.
package class LMDBTransaction {
  final let engine: LMDBEngine
  /// The one that it began in, which a compaction may have taken the place of since.
  final let environment: LMDBEnvironment
  // Transactions are used by one thread at a time, which the layer above sees to; exclusive access need not be checked
  // once more for each row.
  @exclusivity(unchecked) final var hasEnded = false
  /// LMDB's transaction. It stays what it is until the end.
  final let transaction: OpaquePointer
  /// The handles of all trees of the state that the transaction began with.
  final let table: LMDBTreeTable

  init(
    _ engine: LMDBEngine, _ environment: LMDBEnvironment, _ transaction: OpaquePointer, _ table: LMDBTreeTable
  ) {
    self.engine = engine
    self.environment = environment
    self.transaction = transaction
    self.table = table
  }

  @inline(__always)
  final func requireOpen() throws(StorageError) {
    try engine.requireOpen()
    if hasEnded { throw .ended }
  }

  /// Throws unless the transaction is active and the tree is as it was when the cursor was created.
  func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireOpen()
  }

  /// Takes back an unused cursor, maybe after the transaction's end.
  func giveBack(_ cursor: OpaquePointer) {}

  /// A walk whose cursor the caller closes.
  func makeWalk(_ handle: MDB_dbi, _ range: KeyRange, descending: Bool) throws(StorageError) -> LMDBWalk {
    try LMDBWalk(transaction, handle, range, descending: descending)
  }

  // MARK: Reading, common to both kinds

  /// The value of a key, as LMDB lends it.
  @inline(__always)
  static func value(
    _ transaction: OpaquePointer, _ handle: MDB_dbi, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try LMDBKey.withStored(key) { key throws(StorageError) in
      var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
      var value = MDB_val()
      let result = mdb_get(transaction, handle, &keyValue, &value)
      if result == MDB_SUCCESS { return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size) }
      return try absent(result)
    }
  }

  /// A key that is longer than any that is stored is not there either.
  @inline(never)
  static func absent(_ result: Int32) throws(StorageError) -> UnsafeRawBufferPointer? {
    if result == MDB_NOTFOUND || result == MDB_BAD_VALSIZE { return nil }
    throw StorageError(lmdb: result, "a key cannot be looked up")
  }

  final func countEntries(_ handle: MDB_dbi, _ range: KeyRange) throws(StorageError) -> Int {
    if range == .all { return try figures(handle).entries }
    if range.isEmpty { return 0 }
    let walk = try makeWalk(handle, range, descending: false)
    defer { mdb_cursor_close(walk.cursor) }
    return try walk.countAll()
  }

  /// The pages of a tree by its record, which may be damaged and say anything.
  static func pages(_ figures: MDB_stat) -> Int {
    figures.ms_branch_pages &+ figures.ms_leaf_pages &+ figures.ms_overflow_pages
  }

  final func figures(_ handle: MDB_dbi) throws(StorageError) -> KeyValueTreeStatistics {
    var figures = MDB_stat()
    let result = mdb_stat(transaction, handle, &figures)
    guard result == MDB_SUCCESS else { throw StorageError(lmdb: result, "a tree cannot be read") }
    return KeyValueTreeStatistics(
      entries: figures.ms_entries, bytes: Self.pages(figures) &* Int(figures.ms_psize))
  }
}

/// Reads one committed state: a read transaction of LMDB, its own or a snapshot's.
package final class LMDBReadTransaction: LMDBTransaction, KeyValueReadTransaction {
  package let version: CommitVersion
  private let snapshot: LMDBSnapshot?
  /// Of the tree that was searched last.
  @exclusivity(unchecked) private var search: LMDBSearch?

  init(
    _ engine: LMDBEngine, _ environment: LMDBEnvironment, _ transaction: OpaquePointer, _ table: LMDBTreeTable,
    snapshot: LMDBSnapshot?
  ) {
    self.snapshot = snapshot
    version = CommitVersion(UInt64(mdb_txn_id(transaction)))
    super.init(engine, environment, transaction, table)
  }

  deinit {
    end()
  }

  @inline(__always)
  private func requireReadable() throws(StorageError) {
    try requireOpen()
    if let snapshot, snapshot.isClosed { throw .snapshotClosed }
  }

  override func checkCursor(of tree: TreeID, stamp: UInt64) throws(StorageError) {
    try requireReadable()
  }

  /// A cursor of a read transaction may be freed after its transaction: LMDB keeps no list of them.
  override func giveBack(_ cursor: OpaquePointer) {
    mdb_cursor_close(cursor)
  }

  override func makeWalk(_ handle: MDB_dbi, _ range: KeyRange, descending: Bool) throws(StorageError) -> LMDBWalk {
    try environment.makeWalk(transaction, handle, range, descending: descending)
  }

  /// The search for keys of a tree; nil where LMDB must search.
  @inline(__always)
  private func finder(of tree: TreeID) -> LMDBSearch? {
    if search?.tree != tree { search = LMDBSearch(tree, transaction, environment) }
    return search
  }

  package func get(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try requireReadable()
    if let finder = finder(of: tree) { return try finder.value(key) }
    guard let handle = table.handle(tree) else { return nil }
    return try Self.value(transaction, handle, key)
  }

  package func cursor(_ tree: TreeID, _ range: KeyRange, descending: Bool) throws(StorageError) -> LMDBCursor {
    try requireReadable()
    guard let handle = table.handle(tree) else { return LMDBCursor(self, tree, stamp: 0, nil) }
    return LMDBCursor(self, tree, stamp: 0, try makeWalk(handle, range, descending: descending))
  }

  package func count(_ tree: TreeID, _ range: KeyRange) throws(StorageError) -> Int {
    try requireReadable()
    guard let handle = table.handle(tree) else { return 0 }
    if range != .all, let finder = finder(of: tree) { return try finder.count(range) }
    return try countEntries(handle, range)
  }

  package func statistics(of tree: TreeID) throws(StorageError) -> KeyValueTreeStatistics {
    try requireReadable()
    guard let handle = table.handle(tree) else { return KeyValueTreeStatistics(entries: 0, bytes: 0) }
    return try figures(handle)
  }

  package func end() {
    if hasEnded { return }
    hasEnded = true
    if let snapshot { snapshot.endRead() } else { environment.giveReader(transaction) }
  }
}
