import QuarryBackend
import QuarrySystem
import Synchronization

/// Lets one thread of this process write to a file at a time, whatever openings of the store the threads use.
final class SQLiteWriterLock: Sendable {
  /// Open while no thread writes.
  private let semaphore = MonotonicSemaphore(value: 1)

  private struct Entry {
    weak var lock: SQLiteWriterLock?
  }

  private static let entries = Mutex<[FileIdentity: Entry]>([:])

  private init() {}

  /// The lock of a file in this process; one that is shared with nothing where the file is not known.
  static func of(_ identity: FileIdentity?) -> SQLiteWriterLock {
    guard let identity else { return SQLiteWriterLock() }
    return entries.withLock { entries in
      if let lock = entries[identity]?.lock { return lock }
      let lock = SQLiteWriterLock()
      entries = entries.filter { $0.value.lock != nil }
      entries[identity] = Entry(lock: lock)
      return lock
    }
  }

  /// Uses the lock for the file that takes the place of another, too.
  func add(_ identity: FileIdentity) {
    Self.entries.withLock { $0[identity] = Entry(lock: self) }
  }

  /// Takes the lock.
  ///
  /// - Parameter seconds: How long to wait.
  /// - Throws: `busy`.
  func take(_ seconds: Double) throws(StorageError) {
    let wait = seconds > 0 ? min(seconds, 1e9) : 0
    if !semaphore.wait(atMost: .seconds(wait)) { throw .busy(wait) }
  }

  func give() { semaphore.signal() }
}
