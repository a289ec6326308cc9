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
      Self.withoutSlashes(path), own: files.resolve(environment.file.path),
      endings: ["/data.mdb", "/lock.mdb"], files)
    let directory = destination.partialPath
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
      try copy(to: directory + "/data.mdb")
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

  /// LMDB copies in a read transaction of its own, and waits for no writer when it leaves out the free pages.
  private func copy(to path: String) throws(StorageError) {
    let version = UInt64(environment.lastTransaction)
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw StorageError(system: errno, path) }
    defer { close(descriptor) }
    var attempts = 0
    while true {
      try environment.retain()
      let result = mdb_env_copyfd2(environment.environment, descriptor, UInt32(MDB_CP_COMPACT))
      environment.release()
      attempts += 1
      switch result {
      case MDB_SUCCESS: return try setVersion(version, in: descriptor, path)
      // These two come before the first byte is written.
      case MDB_MAP_RESIZED where attempts < 10: try environment.remap()
      case MDB_READERS_FULL where attempts < 3:
        environment.drainPool()
        environment.clearStaleReaders()
      default: throw StorageError(lmdb: result, "\(environment.file.path) cannot be copied")
      }
    }
  }

  /// LMDB counts the transactions of a copy from one: it goes on from those of the store. A commit is in the first meta
  /// page or in the second, as its number is even or odd; the copy's is in the second.
  private func setVersion(_ version: UInt64, in descriptor: Int32, _ path: String) throws(StorageError) {
    guard version > 1 else { return }
    // What follows the header of a page: the meta, which ends with the number of its transaction.
    let (header, count, number) = (16, 136, 128)
    var metas: [[UInt8]] = []
    for page in 0..<2 {
      var bytes = [UInt8](repeating: 0, count: count)
      let place = off_t(page * environment.pageSize + header)
      let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, place) }
      guard got == count else { throw StorageError(.io, "\(path) cannot be read again") }
      metas.append(bytes)
    }
    withUnsafeBytes(of: version.littleEndian) { metas[1].replaceSubrange(number..<number + 8, with: $0) }
    if version % 2 == 0 { metas.swapAt(0, 1) }
    for (page, bytes) in metas.enumerated() {
      let place = off_t(page * environment.pageSize + header)
      let done = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, count, place) }
      guard done == count else { throw StorageError(system: errno, path) }
    }
  }

  private static func withoutSlashes(_ path: String) -> String {
    var path = Substring(path)
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
    return String(path)
  }
}

extension LMDBEnvironment {
  /// The number of the newest commit.
  fileprivate var lastTransaction: Int {
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    return Int(info.me_last_txnid)
  }
}
