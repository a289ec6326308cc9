import CLMDB
import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The directory of a store and the files in it.
struct LMDBFile: Sendable {
  /// The content of the path.
  enum Content: Equatable {
    /// Nothing, or an empty directory.
    case missing
    /// An environment without a record.
    case empty
    /// A store of Quarry.
    case store(LMDBFormat)
  }

  /// The absolute path of the directory, without links.
  let path: String
  /// The absolute path as it was given, with links, and without slashes at its end.
  let given: String
  /// The path of the data's file, which each commit asks for.
  let dataPath: String
  var lockPath: String { path + "/lock.mdb" }

  /// The path as one that another name can follow.
  static func withoutSlashes(_ path: String) -> String {
    var path = Substring(path)
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
    return String(path)
  }

  /// Maximum bytes of a path: LMDB adds the names of its files, and Quarry the names of their replacements.
  static let longestPath = Int(PATH_MAX) - 1 - "/rewritten.partial/data.mdb".utf8.count

  /// - Throws: `invalidValue` for a path that cannot name a directory, `limitExceeded` for one that is too long, `notFound`
  ///   where there is no folder for it or it is a link to nothing.
  init(_ path: String) throws(StorageError) {
    if let error = StorageError.unusablePath(path) { throw error }
    let absolute: String
    do throws(SystemError) {
      absolute = try SystemPath.absolute(path)
    } catch {
      throw StorageError(system: error.number, "the working directory is not known")
    }
    if let error = StorageError.unusablePath(absolute, limit: Self.longestPath) { throw error }
    given = Self.withoutSlashes(absolute)
    self.path = given == "/" ? given : try SystemFileSystem().resolve(given)
    dataPath = self.path + "/data.mdb"
    if let error = StorageError.unusablePath(self.path, limit: Self.longestPath) { throw error }
  }

  /// - Throws: `corrupt` where something that is no file has the name of one of LMDB's files: LMDB follows links.
  func requireOrdinaryFiles() throws(StorageError) {
    for path in [dataPath, lockPath] { _ = try OwnFile.isThere(path) }
  }

  /// Where a compaction writes, and what LMDB adds to that for the locks.
  var copyPath: String { dataPath + ".partial" }
  static let copyLockEnding = "-lock"

  /// The directory of a store in which this one is rewritten, with a key or without one.
  var rewrittenPath: String { path + "/rewritten.partial" }

  var hasCopy: Bool {
    [copyPath, copyPath + Self.copyLockEnding, rewrittenPath].contains { (path: String) in access(path, F_OK) == 0 }
  }

  /// Removes the leftovers of a compaction or a rewrite.
  func removeCopy() {
    for path in [copyPath, rewrittenPath + "/data.mdb"] {
      unlink(path)
      unlink(path + Self.copyLockEnding)
    }
    unlink(rewrittenPath + "/lock.mdb")
    rmdir(rewrittenPath)
  }

  static func status(_ path: String) throws(StorageError) -> FileStatus? {
    do throws(SystemError) {
      return try .ifThere(path)
    } catch {
      throw .path(path, errno: error.number)
    }
  }

  /// Bytes of the file of the data.
  var byteCount: Int { (try? FileStatus(at: dataPath))?.size ?? 0 }

  /// Whether the file system has no room for what LMDB writes at once, or lets the file not grow.
  var isOutOfSpace: Bool {
    var figures = statvfs()
    if statvfs(dataPath, &figures) == 0, UInt64(figures.f_bavail) * UInt64(figures.f_frsize) < 1 << 20 { return true }
    #if canImport(Darwin)
      let resource = RLIMIT_FSIZE
    #else
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, let status = try? FileStatus(at: dataPath) else { return false }
    return UInt64(status.size) >= limit.rlim_cur
  }

  var hasLock: Bool { (try? FileStatus(at: lockPath)) != nil }

  /// The identity of the data's file; nil when it is not there.
  ///
  /// - Throws: `corrupt` when the directory is none, or holds something else.
  func identity() throws(StorageError) -> FileIdentity? {
    guard let directory = try Self.status(path) else { return nil }
    guard directory.kind == .directory else {
      throw .isNoStore(path, "no directory")
    }
    var data = try Self.status(dataPath)
    if data == nil {
      try requireEmpty()
      // Another process may have made it while the directory was read.
      data = try Self.status(dataPath)
    }
    guard let data else { return nil }
    guard data.kind == .file else {
      throw .isNoStore(dataPath, "not a regular file")
    }
    return data.identity
  }

  /// The number of the file of locks, nil when it is not there.
  func lockInode() throws(StorageError) -> UInt64? {
    try Self.status(lockPath)?.identity.number
  }

  /// - Throws: `corrupt` when the directory holds files that are not LMDB's.
  private func requireEmpty() throws(StorageError) {
    guard let directory = opendir(path) else {
      // Another process may have removed it.
      if errno == ENOENT { return }
      throw StorageError(system: errno, path)
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if ![".", "..", "data.mdb", "lock.mdb"].contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
        throw .isNoStore(path, "a directory with other things in it")
      }
    }
  }

  /// The content of the path, determined by reading alone.
  ///
  /// Only for a file that this process has not open: closing a second descriptor would release its locks.
  ///
  /// - Throws: `corrupt`, `schemaTooNew`, `io`.
  func content() throws(StorageError) -> Content {
    guard try identity() != nil else { return .missing }
    let descriptor = Descriptor.open(dataPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return .missing }
      throw StorageError(system: errno, dataPath)
    }
    defer { close(descriptor) }
    return try LMDBPages.content(of: descriptor, path)
  }

  /// Makes the directory, for its owner alone.
  ///
  /// - Returns: Whether it was not there.
  func makeDirectory() throws(StorageError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    let code = errno
    if code == EEXIST { return false }
    throw .path(path, errno: code)
  }

  func removeDirectory() { rmdir(path) }

  /// Makes sure that the directory's entry, and the entries of its files, are on the disk.
  func syncDirectories() throws(StorageError) {
    for directory in [path, path + "/.."] {
      let descriptor = Descriptor.open(directory, O_RDONLY)
      // A parent that may not be read cannot be synced either.
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      if fsync(descriptor) != 0, errno != EINVAL, errno != EROFS { throw StorageError(system: errno, directory) }
    }
  }

  /// Removes the store: its files, and its directory when nothing else is in it.
  func remove() throws(StorageError) {
    removeCopy()
    for path in [dataPath, lockPath] where unlink(path) != 0 && errno != ENOENT {
      throw StorageError(system: errno, "\(path) cannot be removed")
    }
    removeDirectory()
  }
}
