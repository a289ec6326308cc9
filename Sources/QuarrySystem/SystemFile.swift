import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file of the operating system.
///
/// Reads and writes name their place, so that threads need not agree on one. The pointers go to the system calls with
/// their own lengths and are not kept.
final class SystemFile: StoreFile {
  private let descriptor: Int32
  private let path: String
  /// More than this is not asked for at once: systems differ in what they take.
  private static let chunk = 1 << 30
  /// `SEEK_DATA`, which Swift does not import on Linux.
  #if canImport(Darwin)
    private static let seekData: Int32 = 4
  #else
    private static let seekData: Int32 = 3
  #endif

  init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // A process that is being started has the file open, too, for a moment, and with it the lock.
    unlock()
    _ = close(descriptor)
  }

  func status() throws(StorageError) -> FileStatus {
    do throws(SystemError) {
      return try FileStatus(of: descriptor)
    } catch {
      throw StorageError(systemError: error.number, path)
    }
  }

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var done = 0
    while done < bytes.count {
      let count = pread(descriptor, base + done, min(bytes.count - done, Self.chunk), off_t(offset + done))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw StorageError(systemError: errno, "\(path) cannot be read")
      }
      done += count
    }
    return done
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, base + done, min(bytes.count - done, Self.chunk), off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        throw StorageError(systemError: errno, "\(path) cannot be written")
      }
      if count == 0 { throw StorageError(.io, "\(path) takes no more bytes") }
      done += count
    }
  }

  func nextData(from offset: Int) -> Int? {
    let found = lseek(descriptor, off_t(offset), Self.seekData)
    if found >= 0 { return Int(found) }
    return errno == ENXIO ? nil : offset
  }

  func truncate(to size: Int) throws(StorageError) {
    while ftruncate(descriptor, off_t(size)) != 0 {
      if errno != EINTR { throw StorageError(systemError: errno, "\(path) cannot be truncated") }
    }
  }

  func setPermissions(_ permissions: UInt32) throws(StorageError) {
    if fchmod(descriptor, mode_t(permissions)) != 0 { throw StorageError(systemError: errno, path) }
  }

  func sync() throws(StorageError) {
    while true {
      #if canImport(Darwin)
        // fsync leaves data in the drive's own cache there. File systems without the stronger call have only it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        if errno == ENOTSUP || errno == EINVAL, fsync(descriptor) == 0 { return }
      #else
        if fdatasync(descriptor) == 0 { return }
      #endif
      if errno != EINTR { throw StorageError(systemError: errno, "\(path) cannot be synced to the disk") }
    }
  }

  func lock() throws(StorageError) -> Bool {
    // The lock belongs to this opening of the file, not to the process: another opening in the same process, by
    // whatever path, meets it too, and closing that one does not give this one up.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EWOULDBLOCK: return false
      case EINTR: continue
      default: throw StorageError(systemError: errno, "\(path) cannot be locked")
      }
    }
    return true
  }

  func unlock() {
    _ = flock(descriptor, LOCK_UN)
  }
}
