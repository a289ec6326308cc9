import CLMDB
import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A copy of one state, as a directory with an environment without free pages.
struct LMDBBackup {
  private let environment: LMDBEnvironment
  private let progress: BackupProgress
  private let files = SystemFileSystem()

  init(_ environment: LMDBEnvironment, _ progress: @escaping BackupProgress) {
    self.environment = environment
    self.progress = progress
  }

  func write(to path: String) throws(StorageError) {
    let destination = try BackupDestination(
      LMDBFile.withoutSlashes(path), own: environment.file.path,
      endings: ["/data.mdb", "/lock.mdb"], longestPath: LMDBFile.longestPath, files)
    let directory = destination.partialPath
    try requireRoom(for: directory)
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw StorageError(systemError: errno, directory) }
    let file: any StoreFile
    do throws(StorageError) {
      file = try destination.create("/data.mdb")
    } catch {
      // Not one with something in it: another backup is written there.
      rmdir(directory)
      throw error
    }
    do throws(StorageError) {
      let total = environment.file.byteCount
      guard progress(0, total) else { throw .backupCancelled }
      let version = UInt64(environment.lastTransaction)
      try copy(to: directory + "/data.mdb")
      try LMDBVersion.set(version, in: file, pageSize: environment.pageSize, directory + "/data.mdb")
      try file.sync()
      try files.syncDirectory(of: directory + "/data.mdb")
      let done = try file.status().size
      guard progress(done, done) else { throw .backupCancelled }
      try destination.place()
    } catch {
      try? files.remove(directory + "/data.mdb")
      rmdir(directory)
      throw error
    }
  }

  private func requireRoom(for path: String) throws(StorageError) {
    try files.requireRoom(for: path, about: environment.file.byteCount) { () throws(StorageError) in
      let (transaction, table) = try environment.beginRead()
      defer { environment.giveReader(transaction) }
      return environment.usedBytes(transaction, table)
    }
  }

  /// Removes what a backup to a path has left whose process was killed.
  static func sweep(_ path: String) {
    BackupDestination.sweep(path, "/data.mdb", SystemFileSystem())
    rmdir(OwnName.partial(path))
  }

  /// LMDB copies in a read transaction of its own, and waits for no writer when it leaves out the free pages.
  private func copy(to path: String) throws(StorageError) {
    let descriptor = Descriptor.open(path, O_RDWR | O_NOFOLLOW)
    guard descriptor >= 0 else { throw StorageError(system: errno, path) }
    defer { close(descriptor) }
    // LMDB writes as many pages as the head of a value says.
    if environment.options.format.hasPages { try environment.requireWholeStructure(readsHeads: true) }
    var attempts = 0
    while true {
      try environment.retain()
      let result = mdb_env_copyfd2(environment.environment, descriptor, UInt32(MDB_CP_COMPACT))
      environment.release()
      attempts += 1
      switch result {
      case MDB_SUCCESS: return
      // These two come before the first byte is written.
      case MDB_MAP_RESIZED where attempts < 10: try environment.remap()
      case MDB_READERS_FULL where attempts < 3:
        environment.drainPool()
        environment.clearStaleReaders()
      default: throw StorageError(lmdb: result, "\(environment.file.path) cannot be copied")
      }
    }
  }
}

extension LMDBEnvironment {
  /// Bytes of the pages that the trees of a state have, which each copy of it has.
  func usedBytes(_ transaction: OpaquePointer, _ table: LMDBTreeTable) -> Int {
    // The two pages that say where the trees are; 1 is the main database.
    var pages = 2
    for handle in [1] + table.all.map(\.handle) {
      var figures = MDB_stat()
      guard mdb_stat(transaction, handle, &figures) == MDB_SUCCESS else { continue }
      pages += Int(figures.ms_branch_pages) + Int(figures.ms_leaf_pages) + Int(figures.ms_overflow_pages)
    }
    return pages * pageSize
  }

  /// The number of the newest commit.
  var lastTransaction: Int {
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    return Int(info.me_last_txnid)
  }
}
