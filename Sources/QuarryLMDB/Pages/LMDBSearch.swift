import CLMDB
import QuarryBackend
import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds keys of one tree in a committed state, from its root page down, in the map that LMDB has made. Valid as long as
/// the read transaction that it was made for.
struct LMDBSearch {
  private static let magic: UInt32 = 0xBEEF_C0DE
  /// The number of a root page that is not there.
  private static let noPage = UInt64.max

  let tree: TreeID
  /// Where page 0 lies.
  private let base: UnsafeRawPointer
  private let pageSize: Int
  /// The pages that the map has room for.
  private let pageCount: UInt64
  private let root: UInt64

  /// Looks up the tree's record in the main database, as LMDB does at a transaction's first look at a database.
  ///
  /// Nil when something is not as it is known here, which leaves searching to LMDB, and for a tree that is not there.
  @inline(never)
  init?(_ tree: TreeID, _ transaction: OpaquePointer, pageSize: Int) {
    guard LMDBPage.areAligned(size: pageSize) else { return nil }
    var info = MDB_envinfo()
    mdb_env_info(mdb_txn_env(transaction), &info)
    var record = MDB_val()
    let found = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { digits in
      var key = Self.name(tree, digits)
      return mdb_get(transaction, 1, &key, &record)
    }
    // An `MDB_db`: flags, depth and counts, and the number of the root page at its end.
    guard found == MDB_SUCCESS, record.mv_size == 48, let bytes = UnsafeRawPointer(record.mv_data),
      bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0
    else { return nil }
    let page = LMDBPage.start(holding: bytes, size: pageSize)
    let number = LMDBPage.number(at: page)
    let pageCount = UInt64(info.me_mapsize / pageSize)
    guard number < pageCount, Int(bitPattern: page) > Int(number) * pageSize else { return nil }
    let base = page - Int(number) * pageSize
    guard UInt32(littleEndian: base.load(fromByteOffset: LMDBPage.head, as: UInt32.self)) == Self.magic else {
      return nil
    }
    self.tree = tree
    self.base = base
    self.pageSize = pageSize
    self.pageCount = pageCount
    root = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
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

  @inline(__always)
  private func page(_ number: UInt64) throws(StorageError) -> UnsafeRawPointer {
    guard number < pageCount else { throw LMDBPage.damaged() }
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
    if root == Self.noPage { return nil }
    var page = try LMDBPage(at: page(root), size: pageSize)
    var depth = 0
    while !page.isLeaf {
      depth += 1
      // Pages that lead back to themselves would be damage.
      guard depth < 32 else { throw LMDBPage.damaged() }
      page = try LMDBPage(at: self.page(page.child(page.index(above: key))), size: pageSize)
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
    let start = try page(number)
    guard let pages = LMDBPage.overflowPages(at: start), UInt64(pages) <= pageCount - number,
      count <= pages * pageSize - LMDBPage.head
    else { throw LMDBPage.damaged() }
    return UnsafeRawBufferPointer(start: start + LMDBPage.head, count: count)
  }
}
