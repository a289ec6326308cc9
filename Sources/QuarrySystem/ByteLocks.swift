#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Locks between processes on bytes of an open file.
///
/// They belong to the process: the system releases them when it ends, however it ends, and when it closes any descriptor of the
/// file.
package struct ByteLocks: Sendable {
  package enum Kind: Sendable { case read, write, none }

  /// Of the file, and open for as long as the locks are needed.
  private let descriptor: Int32

  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

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

  /// Takes or releases a lock, without waiting.
  ///
  /// - Returns: Whether it was taken.
  package func set(_ kind: Kind, _ start: Int64, count: Int64 = 1) -> Bool {
    var lock = Self.lock(kind, start, count)
    return withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_SETLK, $0) } == 0
  }

  /// The last byte of a lock that another process has in the range; nil where none has any.
  func lastHeld(_ start: Int64, count: Int64) -> Int64? {
    guard count > 0 else { return nil }
    var lock = Self.lock(.write, start, count)
    let result = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_GETLK, $0) }
    guard result == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return Int64(lock.l_start) + max(1, Int64(lock.l_len)) - 1
  }

  /// Another process that has a lock on one of the bytes; not above 0 for one that this process cannot see.
  package func holder(_ start: Int64, count: Int64 = 1) -> Int32? {
    guard count > 0 else { return nil }
    var lock = Self.lock(.write, start, count)
    let result = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_GETLK, $0) }
    guard result == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }
}
