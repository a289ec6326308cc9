import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock on the directory of a store that orders openings and exchanges of the files under their names.
///
/// An opening process shares it until other processes can see that the store is open. A process that puts another file into its
/// place, or moves the directory, holds it exclusively.
///
/// LMDB opens each of its files by its name, the data twice. Without the lock, a process could have the old file by one
/// of these and the new one by the other.
struct LMDBDirectoryLock {
  private let descriptor: Int32

  /// Shared with others that open the store.
  ///
  /// - Returns: Nil where there is no directory, it cannot be read, or the file system locks none.
  /// - Throws: `busy` where another process holds it exclusively for longer than five seconds.
  init?(shared file: LMDBFile) throws(StorageError) {
    while true {
      let opened = Descriptor.open(file.path, O_RDONLY | O_DIRECTORY)
      guard opened >= 0 else { return nil }
      guard try Self.lock(opened, LOCK_SH, seconds: 5, file) else {
        close(opened)
        return nil
      }
      // The directory may have been put aside while this waited.
      if Self.isAt(file.path, opened) {
        descriptor = opened
        return
      }
      close(opened)
    }
  }

  /// Alone.
  ///
  /// - Throws: `inUse` where another process is opening the store for longer than a second; `io`.
  init(exclusive file: LMDBFile) throws(StorageError) {
    let opened = Descriptor.open(file.path, O_RDONLY | O_DIRECTORY)
    guard opened >= 0 else { throw StorageError(system: errno, file.path) }
    let isLocked: Bool
    do throws(StorageError) {
      isLocked = try Self.lock(opened, LOCK_EX, seconds: 1, file)
    } catch {
      close(opened)
      throw .inUse(by: nil, "\(file.path) is being opened elsewhere")
    }
    guard isLocked, Self.isAt(file.path, opened) else {
      close(opened)
      throw StorageError(.io, "the directory \(file.path) cannot be locked")
    }
    descriptor = opened
  }

  /// - Returns: Whether it has the lock; false where there are none.
  /// - Throws: `busy`.
  private static func lock(
    _ descriptor: Int32, _ kind: Int32, seconds: Double, _ file: LMDBFile
  ) throws(StorageError) -> Bool {
    let start = ContinuousClock.now
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { return false }
      guard ContinuousClock.now - start < .seconds(seconds) else {
        throw StorageError(
          .busy, "another process was exchanging the files of \(file.path) for longer than \(seconds) s")
      }
      usleep(1_000)
    }
    return true
  }

  private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    guard let one = try? FileStatus(at: path), let other = try? FileStatus(of: descriptor) else { return false }
    return one.identity == other.identity
  }

  /// Upgrades a shared lock to an exclusive one, without waiting.
  ///
  /// - Returns: False when another process or opening shares the lock.
  func becomeExclusive() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Releases the lock.
  func end() { close(descriptor) }
}
