/// The bytes that processes lock, far behind the end of `data.mdb`, where LMDB locks none. They are locked on LMDB's own
/// descriptor, which stays open as long as the environment does.
///
/// - `writer`: held for writing by the process whose write transaction is open; for reading by a process that reads without a
///   lock file, so that no process writes meanwhile.
/// - `queue` and the numbers after it: the ``Turnstile`` of the waiters for the writer's byte.
/// - `presence` and the numbers after it: each process holds the byte of the lock file that it uses. Two processes with
///   different lock files for one file of data (a hard link, a lock file that was deleted) would not see each other.
enum LMDBFileLock {
  static let writer: Int64 = 1 << 61
  static let queue: Int64 = writer + 1
  static let presence: Int64 = 1 << 62
  static let presenceCount: Int64 = 1 << 32
}
