import CLMDB
import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Making a store whole and at once.
///
/// LMDB creates an environment under its name, in several writes: a process that ends meanwhile, a full disk or a loss of power
/// leaves a file that cannot be told from a damaged store. A new store has the same bytes each time. They are written into a file
/// without a name, which gets its name when they are on the disk. A process that finds the file finds a store.
extension LMDBEnvironment {
  /// Makes the data of a store in a directory where there is none.
  ///
  /// - Returns: Whether there is a store now, created here or by a quicker process. Where there is none, LMDB creates it in
  ///   place: the system or the file system may not support files without names.
  /// - Throws: `full`, `io`; nothing is left then.
  static func makeWhole(_ file: LMDBFile, _ format: LMDBFormat) throws(StorageError) -> Bool {
    #if canImport(Darwin)
      return false
    #else
      let image = try image(format, file)
      guard let image, let made = UnlinkedFile(in: file.path) else { return false }
      defer { made.close() }
      do throws(SystemError) {
        try made.write(image)
        try made.sync()
      } catch {
        throw StorageError(system: error.number, file.dataPath)
      }
      guard made.link(as: file.dataPath) || errno == EEXIST else { return false }
      try file.syncDirectories()
      return true
    #endif
  }

  #if !canImport(Darwin)
    private static let images = Mutex<[LMDBFormat: [UInt8]]>([:])

    /// The bytes of a new store, as LMDB lays them out; nil where there are no files without names.
    private static func image(_ format: LMDBFormat, _ file: LMDBFile) throws(StorageError) -> [UInt8]? {
      if let image = images.withLock({ $0[format] }) { return image }
      guard let scratch = UnlinkedFile(in: file.path) else { return nil }
      defer { scratch.close() }
      guard let path = scratch.path else { return nil }
      do throws(StorageError) {
        guard try makeEnvironment(path, format, file) else { return nil }
      } catch {
        // LMDB says no more of a write that came short. The system says why when it is asked for as much again.
        do throws(SystemError) { try scratch.write([UInt8](repeating: 0, count: 1 << 14)) } catch {
          throw StorageError(system: error.number, file.dataPath)
        }
        throw error
      }
      do throws(SystemError) {
        let image = try scratch.read()
        images.withLock { $0[format] = image }
        return image
      } catch {
        throw StorageError(system: error.number, file.dataPath)
      }
    }

    /// - Returns: Whether LMDB could open a file by such a path.
    private static func makeEnvironment(
      _ path: String, _ format: LMDBFormat, _ file: LMDBFile
    ) throws(StorageError) -> Bool {
      var environment: OpaquePointer?
      var result = mdb_env_create(&environment)
      guard result == MDB_SUCCESS, let environment else { throw StorageError(lmdb: result, file.path) }
      defer { mdb_env_close(environment) }
      mdb_env_set_mapsize(environment, 1 << 20)
      Descriptor.occupyStandardNumbers()
      result = mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC), 0o600)
      if result == ENOENT || result == EACCES { return false }
      var transaction: OpaquePointer?
      if result == MDB_SUCCESS { result = mdb_txn_begin(environment, nil, 0, &transaction) }
      guard result == MDB_SUCCESS, let transaction else { throw StorageError(lmdb: result, file.path) }
      var main: MDB_dbi = 0
      result = mdb_dbi_open(transaction, nil, 0, &main)
      var (key, value) = (LMDBMarker.key, LMDBMarker.value(format))
      key.withUnsafeMutableBytes { key in
        value.withUnsafeMutableBytes { value in
          var keyValue = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
          var dataValue = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
          if result == MDB_SUCCESS { result = mdb_put(transaction, main, &keyValue, &dataValue, 0) }
        }
      }
      guard result == MDB_SUCCESS else {
        mdb_txn_abort(transaction)
        throw StorageError(lmdb: result, file.path)
      }
      result = mdb_txn_commit(transaction)
      guard result == MDB_SUCCESS else { throw StorageError(lmdb: result, file.path) }
      return true
    }
  #endif
}
