import CLMDB
import QuarryBackend
import QuarryKeyValue
import Synchronization

/// Handles of the trees, each of which is a database of LMDB with a name.
extension LMDBEnvironment {
  /// The records of the main database: one for each tree, and the marker.
  @inline(__always)
  static func records(_ transaction: OpaquePointer) -> Int {
    var figures = MDB_stat()
    return mdb_stat(transaction, 1, &figures) == MDB_SUCCESS ? Int(figures.ms_entries) : -1
  }

  /// The newest table of handles. Only while a transaction is counted.
  @inline(__always) var table: LMDBTreeTable? { LMDBTreeTable(bits: newestTable.load(ordering: .acquiring)) }

  func lockHandles() { handleGate.wait() }
  func unlockHandles() { handleGate.signal() }

  /// Makes a table the newest one. Only for the holder of the handles.
  func publish(_ table: LMDBTreeTable) {
    tables.withLock { $0.append(table) }
    newestTable.store(table.bits, ordering: .releasing)
  }

  /// Opens the handles of trees that other processes, or processes before, have made.
  func openHandles() throws(StorageError) {
    lockHandles()
    defer { unlockHandles() }
    let transaction = try makeReader()
    var isOpen = true
    defer {
      if isOpen { mdb_txn_abort(transaction) }
      release()
    }
    var main: MDB_dbi = 0
    try check(mdb_dbi_open(transaction, nil, 0, &main))
    let records = Self.records(transaction)
    if let table, table.records == records { return }
    var handles = table?.all ?? []
    let known = Set(handles.map(\.tree))
    for tree in try trees(in: transaction, main) where !known.contains(tree) {
      var handle: MDB_dbi = 0
      try check(Self.name(tree).withCString { mdb_dbi_open(transaction, $0, 0, &handle) })
      var flags: UInt32 = 0
      try check(mdb_dbi_flags(transaction, handle, &flags))
      guard flags == 0 else {
        throw StorageError(.corrupt, "the database \(tree) of \(file.path) is not a tree of Quarry")
      }
      handles.append((tree, handle))
    }
    // Committing keeps the handles open.
    isOpen = false
    try check(mdb_txn_commit(transaction))
    publish(LMDBTreeTable(handles, records: records))
  }

  private func check(_ result: Int32) throws(StorageError) {
    if result == MDB_DBS_FULL {
      throw StorageError(
        .limitExceeded, "\(file.path) has more trees than it had room for when it was opened: open it again")
    }
    if result != MDB_SUCCESS { throw StorageError(lmdb: result, file.path) }
  }

  static func name(_ tree: TreeID) -> String { String(tree) }

  /// The trees that the main database names.
  private func trees(in transaction: OpaquePointer, _ main: MDB_dbi) throws(StorageError) -> [TreeID] {
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, main, &cursor))
    defer { mdb_cursor_close(cursor) }
    var key = MDB_val()
    var value = MDB_val()
    var result: [TreeID] = []
    while true {
      let code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      if code == MDB_NOTFOUND { return result }
      try check(code)
      let name = String(decoding: UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size), as: UTF8.self)
      if let tree = TreeID(name), Self.name(tree).utf8.elementsEqual(name.utf8) { result.append(tree) }
    }
  }
}
