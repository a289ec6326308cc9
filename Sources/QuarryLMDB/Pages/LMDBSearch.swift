import CLMDB
import QuarryBackend
import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds keys of one tree in a committed state, from its root page down, in LMDB's map.
///
/// Valid as long as the read transaction that it was created for.
struct LMDBSearch {
  /// The most levels that LMDB's cursors go down.
  static let deepest = 31

  let tree: TreeID
  /// That of the transaction, which keeps it: counting a reference to it for each look-up would cost as much as a level.
  private let environment: Unmanaged<LMDBEnvironment>
  /// Where page 0 lies.
  private let base: UnsafeRawPointer
  let pageSize: Int
  /// Pages that the map and the file have at least.
  private let pageCount: UInt64
  let root: UInt64
  /// The levels of the tree.
  let depth: Int

  /// From the record of the tree where it is known already, else looked up.
  ///
  /// Nil when something is not as it is known here, which leaves searching to LMDB, and for a tree that is not there.
  @inline(__always)
  init?(_ tree: TreeID, _ transaction: OpaquePointer, _ environment: LMDBEnvironment) {
    let state = mdb_txn_id(transaction)
    if let start = UnsafeRawPointer(bitPattern: environment.knownStart.load(ordering: .relaxed)),
      let root = environment.roots.find(tree, state)
    {
      self.init(root, start, environment)
    } else {
      self.init(lookingUp: tree, state, transaction, environment)
    }
  }

  /// Reads the tree's record in the main database, as LMDB does at a transaction's first access to a database.
  @inline(never)
  private init?(
    lookingUp tree: TreeID, _ state: Int, _ transaction: OpaquePointer, _ environment: LMDBEnvironment
  ) {
    var record = MDB_val()
    let found = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { digits in
      var key = Self.name(tree, digits)
      return mdb_get(transaction, 1, &key, &record)
    }
    guard found == MDB_SUCCESS, record.mv_size == LMDBTreeRecord.byteCount, let bytes = UnsafeRawPointer(record.mv_data)
    else { return nil }
    let stored = LMDBTreeRecord(UnsafeRawBufferPointer(start: bytes, count: record.mv_size))
    guard stored.flags == 0, let base = environment.mapStart(holding: bytes) else { return nil }
    let root = LMDBTreeRoot(tree: tree, state: state, page: stored.root, depth: Int(stored.depth))
    environment.roots.keep(root)
    self.init(root, base, environment)
  }

  @inline(__always)
  private init(_ root: LMDBTreeRoot, _ base: UnsafeRawPointer, _ environment: LMDBEnvironment) {
    tree = root.tree
    self.environment = .passUnretained(environment)
    self.base = base
    pageSize = environment.pageSize
    pageCount = environment.knownPages.load(ordering: .relaxed)
    self.root = root.page
    depth = root.depth
  }

  /// The name of a tree's database: its number in decimal digits.
  private static func name(_ tree: TreeID, _ room: UnsafeMutableRawBufferPointer) -> MDB_val {
    var rest = tree
    var start = room.count
    repeat {
      start -= 1
      room[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    return MDB_val(mv_size: room.count - start, mv_data: room.baseAddress.map { $0 + start })
  }

  /// Whether a page is there that was not known when the search began.
  ///
  /// Only pages that were not requested since then are requested from the system.
  @inline(never)
  private func isThere(_ number: UInt64) -> Bool {
    number < knownPages || environment.takeUnretainedValue().hasPage(number)
  }

  /// Pages that are known to be in the file by now.
  var knownPages: UInt64 { environment.takeUnretainedValue().knownPages.load(ordering: .relaxed) }

  /// Where a page lies.
  ///
  /// - Throws: `corrupt` for a page that is not there.
  @inline(__always)
  func start(of number: UInt64) throws(StorageError) -> UnsafeRawPointer {
    guard number < pageCount || isThere(number) else { throw LMDBPage.damaged() }
    return base + Int(truncatingIfNeeded: number) &* pageSize
  }

  /// The value of a key, or nil when it is not there.
  ///
  /// - Throws: `corrupt`.
  @inline(__always)
  func value(_ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    try LMDBKey.withStored(key) { key throws(StorageError) in try storedValue(key) }
  }

  /// The value of a key as it stands.
  private func storedValue(_ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
    if root == LMDBTreeRecord.noPage { return nil }
    var page = try LMDBPage(at: start(of: root), size: pageSize)
    var depth = 0
    while !page.isLeaf {
      depth += 1
      // Pages that lead back to themselves would be damage.
      guard depth <= Self.deepest else { throw LMDBPage.damaged() }
      page = try LMDBPage(at: start(of: page.child(page.index(above: key))), size: pageSize)
    }
    let index = try page.firstIndex(notBefore: key)
    guard index < page.count else { return nil }
    let found = try page.key(index)
    guard found.count == key.count, let left = found.baseAddress, let right = key.baseAddress,
      memcmp(left, right, key.count) == 0
    else { return nil }
    if let value = try page.value(index) { return value }
    return try largeValue(page, index)
  }

  @inline(never)
  private func largeValue(_ leaf: LMDBPage, _ index: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard let (number, count) = try leaf.largeValue(index) else { throw LMDBPage.damaged() }
    let start = try start(of: number)
    let needed = LMDBPage.pages(for: count, size: pageSize)
    guard let pages = LMDBPage.overflowPages(at: start), needed <= pages else { throw LMDBPage.damaged() }
    _ = try self.start(of: number + UInt64(needed) - 1)
    return UnsafeRawBufferPointer(start: start + LMDBPage.head, count: count)
  }
}
