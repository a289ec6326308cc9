import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Locks between processes on bytes far behind the end of `data.mdb`, where LMDB has none. The system lets go of them
/// when a process ends, however it ends.
///
/// - `writer`: held for writing by the process whose write transaction is open; for reading by one that reads without a
///   lock file, so that nobody writes meanwhile.
/// - `presence` and the numbers after it: each process holds the byte of the lock file that it uses. Two processes with
///   different lock files for one file of data (a hard link, a lock file that was deleted) would not see each other.
struct LMDBFileLock: Sendable {
  enum Kind { case read, write, none }

  static let writer: Int64 = 1 << 61
  static let presence: Int64 = 1 << 62
  static let presenceCount: Int64 = 1 << 32

  /// LMDB's own descriptor, which stays open as long as the environment does.
  let descriptor: Int32

  private static func lock(_ kind: Kind, _ start: Int64, _ count: Int64) -> flock {
    var lock = flock()
    lock.l_type =
      switch kind {
      case .read: Int16(F_RDLCK)
      case .write: Int16(F_WRLCK)
      case .none: Int16(F_UNLCK)
      }
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(count)
    return lock
  }

  /// Takes a lock, or lets go of one, without waiting.
  ///
  /// - Returns: Whether it was taken.
  func set(_ kind: Kind, _ start: Int64, count: Int64 = 1) -> Bool {
    var lock = Self.lock(kind, start, count)
    return withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_SETLK, $0) } == 0
  }

  /// Another process that has a lock on one of the bytes.
  func holder(_ start: Int64, count: Int64 = 1) -> Int32? {
    guard count > 0 else { return nil }
    var lock = Self.lock(.write, start, count)
    let result = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_GETLK, $0) }
    guard result == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }
}
