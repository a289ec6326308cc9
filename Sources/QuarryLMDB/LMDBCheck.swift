import CLMDB
import QuarryBackend
import QuarryKeyValue

/// Verifies a state as far as LMDB lets it be seen.
enum LMDBCheck {
  /// The defects: keys out of order, trees with another number of entries than they record, pages that are nowhere or twice.
  static func defects(_ transaction: OpaquePointer, _ table: LMDBTreeTable) throws(StorageError) -> [String] {
    var defects: [String] = []
    // Damaged records may say anything.
    var pages = 2 &+ (try pageCount(transaction, 0)) &+ (try pageCount(transaction, 1))
    for (tree, handle) in table.all.sorted(by: { $0.tree < $1.tree }) {
      pages &+= try pageCount(transaction, handle)
      if let defect = try defect(transaction, handle) { defects.append("tree \(tree), \(defect)") }
    }
    let free = try freePages(transaction)
    // Databases of other programs have pages too.
    if let last = lastPage(transaction), table.all.count + 1 == LMDBEnvironment.records(transaction),
      pages &+ free != last + 1
    {
      defects.append("\(pages) pages are used and \(free) free, but the file has \(last + 1)")
    }
    return defects
  }

  private static func defect(_ transaction: OpaquePointer, _ handle: MDB_dbi) throws(StorageError) -> String? {
    var figures = MDB_stat()
    let result = mdb_stat(transaction, handle, &figures)
    if result != MDB_SUCCESS { return StorageError(lmdb: result, "it cannot be read").message }
    let walk: LMDBWalk
    do throws(StorageError) {
      walk = try LMDBWalk(transaction, handle, .all, descending: false)
    } catch {
      return error.message
    }
    defer { mdb_cursor_close(walk.cursor) }
    var count = 0
    var last: UnsafeRawBufferPointer?
    do throws(StorageError) {
      while try walk.advance() {
        // Keys stay where they are as long as there are no writes, and this state is not written to.
        let key = UnsafeRawBufferPointer(start: walk.key.mv_data, count: walk.key.mv_size)
        if let last, !LMDBKey.isLess(last, key) { return "entry \(count) is not after the one before" }
        last = key
        count += 1
        if count > figures.ms_entries { break }
      }
    } catch {
      return error.message
    }
    return count == figures.ms_entries ? nil : "\(figures.ms_entries) entries by its record, \(count) by count"
  }

  private static func pageCount(_ transaction: OpaquePointer, _ handle: MDB_dbi) throws(StorageError) -> Int {
    var figures = MDB_stat()
    let result = mdb_stat(transaction, handle, &figures)
    if result != MDB_SUCCESS { throw StorageError(lmdb: result, "a tree cannot be read") }
    return LMDBTransaction.pages(figures)
  }

  /// The last page of the transaction's state; nil when there is a newer state by now.
  private static func lastPage(_ transaction: OpaquePointer) -> Int? {
    var info = MDB_envinfo()
    mdb_env_info(mdb_txn_env(transaction), &info)
    return info.me_last_txnid == mdb_txn_id(transaction) ? Int(info.me_last_pgno) : nil
  }

  /// The number of pages that are in the list of free ones.
  static func freePages(_ transaction: OpaquePointer) throws(StorageError) -> Int {
    let walk = try LMDBWalk(transaction, 0, .all, descending: false)
    defer { mdb_cursor_close(walk.cursor) }
    var free = 0
    while try walk.advance() {
      let list = walk.valueBytes
      if list.count >= MemoryLayout<Int>.size { free &+= list.loadUnaligned(as: Int.self) }
    }
    return free
  }
}
