import CLMDB
import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LMDBEnvironment {
  /// Checks the data that LMDB follows blindly in the newest state.
  ///
  /// A read transaction is open, so that no page of the state is used again meanwhile.
  ///
  /// LMDB has the number of the newest state in the lock file, where a commit notes it after its meta page. Where the file has
  /// one more, that commit is under way, or was ended by the end of its process. LMDB then continues from the previous one until
  /// the next write, and so does this check.
  ///
  /// - Parameter readsHeads: Whether to check the heads of all values, too.
  /// - Throws: `corrupt`; `busy` when other processes commit all the time; `io`.
  func requireWholeStructure(readsHeads: Bool = false) throws(StorageError) {
    let reader = fileReader
    for attempt in 0..<Self.looks {
      // A commit shows its meta page in the file before it is the newest to readers: for as long as the disk takes.
      if attempt > 0 { usleep(UInt32(min(attempt * 50, 2_000))) }
      let transaction = try makeReader()
      defer {
        mdb_txn_abort(transaction)
        release()
      }
      // Read at once: two commits later the meta page is another one's.
      guard let metas = try LMDBMeta.read(reader) else { throw reader.damaged("it was cut off") }
      let number = UInt64(truncatingIfNeeded: mdb_txn_id(transaction))
      let isNewest = metas.newest.transaction == number
      guard isNewest || metas.other.transaction == number else { continue }
      var structure = try LMDBStructure(
        reader, isNewest ? metas.newest : metas.other, options.format, readsHeads: readsHeads)
      do throws(StorageError) {
        return try structure.requireWhole(other: isNewest ? metas.other : nil)
      } catch {
        // The next commit takes the other meta page, and the one after that pages that are compared with it.
        guard let now = try LMDBMeta.read(reader), now.other != metas.other || now.newest != metas.newest else {
          throw error
        }
      }
    }
    throw StorageError(.busy, "other processes are writing to \(file.path)")
  }

  /// Reads the file of the environment beside the map.
  var fileReader: LMDBFileReader {
    var descriptor: Int32 = -1
    mdb_env_get_fd(environment, &descriptor)
    return LMDBFileReader(descriptor: descriptor, path: file.path)
  }

  /// The maximum number of searches for the newest state during commits: for two seconds, about.
  private static var looks: Int { 1_000 }
}
