import QuarryBackend
import QuarrySystem
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds other processes that have a database open: each locks a byte of the log's index from its first access to the database to
/// its last.
///
/// To see that, the index is opened once more. Closing that descriptor would release every lock that this process has
/// there through SQLite, so it stays open until the files are gone, or as long as the process.
final class SQLiteOtherUsers: Sendable {
  /// The byte that marks the index as in use, in SQLite's `os_unix.c`.
  private static let byte: Int64 = 128
  private let descriptor = Mutex<Int32?>(nil)

  /// - Throws: `inUse` when another process has the database open.
  func requireNone(_ file: SQLiteFile) throws(StorageError) {
    let holder: Int32? = descriptor.withLock { descriptor in
      if descriptor == nil {
        let opened = Descriptor.open(file.sharedMemoryPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        // Without an index the database is not open for writing anywhere.
        guard opened >= 0 else { return nil }
        descriptor = opened
      }
      return ByteLocks(descriptor: descriptor ?? -1).holder(Self.byte)
    }
    guard let holder else { return }
    // A process that this one cannot see has no number here.
    let process = holder > 0 ? holder : nil
    throw .inUse(by: process, "\(process.map { "process \($0)" } ?? "another process") has \(file.path) open")
  }

  /// Ends the looking when the files are gone.
  func end() {
    descriptor.withLock { descriptor in
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }
}
