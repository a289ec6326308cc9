import CLMDB
import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StorageError {
  /// The error of a result code of LMDB, which may be one of the system's.
  init(lmdb result: Int32, _ what: String) {
    let code: Code =
      switch result {
      // No memory is no room in the map, which is the store's.
      case MDB_MAP_FULL, ENOMEM: .full
      case MDB_TXN_FULL, MDB_READERS_FULL, MDB_DBS_FULL, MDB_BAD_VALSIZE: .limitExceeded
      case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_VERSION_MISMATCH, MDB_INCOMPATIBLE, MDB_BAD_DBI,
        MDB_CURSOR_FULL, MDB_PAGE_FULL:
        .corrupt
      case MDB_MAP_RESIZED, EBUSY, EAGAIN: .busy
      // The directory was there when the path was checked.
      case ENOTDIR: .io
      default: Code(errno: result)
      }
    self.init(code, "\(what): \(String(cString: mdb_strerror(result)))")
  }

  /// The error of a failed call of the system.
  init(system code: Int32, _ what: String) {
    self.init(lmdb: code, what)
  }
}
