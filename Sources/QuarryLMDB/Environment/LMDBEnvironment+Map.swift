import CLMDB
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The start of the map, and how much of it the file fills: an access beyond that ends the process.
extension LMDBEnvironment {
  /// Where page 0 lies; nil when pages are not where they are expected.
  ///
  /// LMDB does not report it, but a page has its number in it.
  ///
  /// - Parameter place: In a page of the map, lent by a transaction that is open.
  @inline(__always)
  func mapStart(holding place: UnsafeRawPointer) -> UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: knownStart.load(ordering: .relaxed)) ?? findMapStart(place)
  }

  @inline(never)
  private func findMapStart(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
    guard LMDBPage.areAligned(size: pageSize) else { return nil }
    let page = LMDBPage.start(holding: place, size: pageSize)
    let number = LMDBPage.number(at: page)
    guard number < UInt64(Int.max / pageSize), Int(bitPattern: page) > Int(number) * pageSize else { return nil }
    let start = page - Int(number) * pageSize
    // Fails where nothing is mapped: the number may be damaged.
    guard msync(UnsafeMutableRawPointer(mutating: start), pageSize, MS_ASYNC) == 0, LMDBMeta.isMeta(at: start) else {
      return nil
    }
    knownStart.store(UInt(bitPattern: start), ordering: .relaxed)
    return start
  }

  /// The same, for a transaction that has not written anything yet.
  func mapStart(in transaction: OpaquePointer) -> UnsafeRawPointer? {
    var (key, value) = (MDB_val(), MDB_val())
    let found = LMDBMarker.key.withBytes { bytes in
      key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_get(transaction, 1, &key, &value)
    }
    guard found == MDB_SUCCESS, let place = value.mv_data else { return nil }
    return mapStart(holding: place)
  }

  /// Whether the map and the file have a page, after it was found not to be among the ``knownPages``. A file only grows.
  @inline(never)
  func hasPage(_ number: UInt64) -> Bool {
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    var descriptor: Int32 = -1
    mdb_env_get_fd(environment, &descriptor)
    guard let size = try? FileStatus(of: descriptor).size else { return false }
    let pages = UInt64(min(size, info.me_mapsize) / pageSize)
    knownPages.store(pages, ordering: .relaxed)
    return number < pages
  }

  /// Forgets both. Only when no transaction is open.
  func forgetMap() {
    knownStart.store(0, ordering: .relaxed)
    knownPages.store(0, ordering: .relaxed)
  }
}
