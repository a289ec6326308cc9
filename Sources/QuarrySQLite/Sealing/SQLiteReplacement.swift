import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A database that is rewritten, and takes the place of the old one in one step.
///
/// Where the file system has files without names it gets its own when it is whole and on the disk, so that a process that
/// is killed leaves nothing.
final class SQLiteReplacement {
  private let file: SQLiteFile
  private var descriptor: Int32
  private var hasName: Bool
  private var count: off_t = 0

  /// - Parameter file: The database, named without links, and locked by the caller: no other user rewrites it.
  init(for file: SQLiteFile) throws(StorageError) {
    self.file = file
    guard let old = try? FileStatus(at: file.path), old.kind == .file else { throw .noStore(at: file.path) }
    var status = stat()
    guard stat(file.path, &status) == 0 else { throw StorageError(systemError: errno, file.path) }
    Self.removeLeftover(of: file)
    descriptor = -1
    hasName = false
    #if !canImport(Darwin)
      descriptor = UnlinkedFile(in: SystemPath.split(file.path).directory)?.descriptor ?? -1
    #endif
    if descriptor < 0 {
      descriptor = Descriptor.open(file.replacementPath, O_CREAT | O_EXCL | O_WRONLY, 0o600)
      hasName = descriptor >= 0
    }
    guard descriptor >= 0 else { throw StorageError(systemError: errno, "\(file.replacementPath) cannot be created") }
    // It belongs to whom the old one belonged, where that may be said.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    _ = fchmod(descriptor, status.st_mode & 0o777)
  }

  deinit {
    close()
    if hasName { unlink(file.replacementPath) }
  }

  private func close() {
    guard descriptor >= 0 else { return }
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
    descriptor = -1
  }

  /// Removes the leftover of a process that was killed just before it gave the database its place.
  static func removeLeftover(of file: SQLiteFile) {
    // Links in the path are followed, as when it was written.
    guard let path = try? SystemFileSystem().resolve(file.path), let real = try? SQLiteFile(path) else { return }
    unlink(real.replacementPath)
  }

  func append(_ bytes: [UInt8]) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes { bytes in
        pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, count)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw StorageError(systemError: errno, "\(file.path) cannot be rewritten") }
      done += written
      count += off_t(written)
    }
  }

  /// Syncs the database to the disk, and gives it a name next to its place.
  ///
  /// The descriptor is closed here: once SQLite has the file open, closing it would release the locks of this process.
  func name() throws(StorageError) {
    guard fsync(descriptor) == 0 else { throw StorageError(systemError: errno, "\(file.path) cannot be rewritten") }
    #if !canImport(Darwin)
      if !hasName {
        guard
          linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, file.replacementPath, AT_SYMLINK_FOLLOW) == 0
        else { throw StorageError(systemError: errno, "\(file.replacementPath) cannot be created") }
        hasName = true
      }
    #endif
    close()
  }

  /// Gives the database its place. The previous database is gone, and its log must be removed, too.
  func place() throws(StorageError) {
    let files = SystemFileSystem()
    try files.rename(file.replacementPath, to: file.path)
    hasName = false
    try? files.syncDirectory(of: file.path)
  }
}
