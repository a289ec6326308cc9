import QuarryBackend
import QuarrySystem
import Synchronization

/// The files that this process has open for writing.
///
/// A second opening of one of them, by whatever path, shares it.
package final class FlatFileRegistry: Sendable {
  private struct Entry {
    /// Kept by its engines and their transactions.
    ///
    /// A log that is released without being closed stays open for its last write transaction.
    weak var log: FlatFileLog?
    var users = 1
  }

  private let entries = Mutex<[Entry]>([])

  package init() {}

  /// The open file for one more user: the one that is open, or one that is opened now.
  ///
  /// Held while a file is opened or closed, so that no other thread meets the lock of a file that is just being opened.
  ///
  /// - Throws: The errors of opening, as the keys of both require.
  func open(
    _ opening: FlatFileOpening, createsIfMissing: Bool, _ durability: BackendManifest.Durability,
    _ compaction: FlatFileConfiguration.Compaction
  ) throws(StorageError) -> FlatFileLog {
    let result: Result<FlatFileLog, StorageError> = entries.withLock { entries in
      do throws(StorageError) {
        entries.removeAll { $0.log == nil }
        if let log = try Self.share(&entries, opening, durability) { return .success(log) }
        do throws(StorageError) {
          let log = try opening.openLog(createsIfMissing: createsIfMissing, durability, compaction)
          entries.append(Entry(log: log))
          return .success(log)
        } catch {
          // The file may have been rewritten after its identity was compared: then it is another one now.
          guard error.code == .inUse, let log = try Self.share(&entries, opening, durability) else { throw error }
          return .success(log)
        }
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func share(
    _ entries: inout [Entry], _ opening: FlatFileOpening, _ durability: BackendManifest.Durability
  ) throws(StorageError) -> FlatFileLog? {
    guard let identity = try opening.files.status(of: opening.path)?.identity else { return nil }
    for place in entries.indices {
      guard let log = entries[place].log, log.processID == FlatFileOwner.thisProcess, log.holds(identity)
      else { continue }
      try log.admit(opening.encryption)
      try log.raise(to: durability)
      entries[place].users += 1
      return log
    }
    return nil
  }

  /// How many engines have the file open.
  func users(of log: FlatFileLog) -> Int {
    entries.withLock { entries in entries.first { $0.log === log }?.users ?? 0 }
  }

  /// Closes the file for its only user, and gives it another name.
  ///
  /// - Parameter move: Gives the file its name. It is called while the lock is held, so that no other thread opens the file
  ///   meanwhile.
  /// - Throws: `inUse` when another user in this process has the file open; the errors of the body. The file is closed then, too.
  func quarantine(_ log: FlatFileLog, _ move: () throws(StorageError) -> Void) throws(StorageError) {
    try entries.withLock { entries throws(StorageError) in
      if let users = entries.first(where: { $0.log === log })?.users, users > 1 {
        throw .inUse(by: log.processID, "\(log.path) is open more than once in this process")
      }
      _ = Self.removeUser(of: log, &entries)
      log.endCompactions()
      var failure: StorageError?
      do throws(StorageError) { try move() } catch { failure = error }
      try log.close()
      if let failure { throw failure }
    }
  }

  /// Takes a user away, and closes the file when it was the last.
  ///
  /// - Throws: The errors of closing; the file is closed anyway.
  func close(_ log: FlatFileLog) throws(StorageError) {
    // The file and its lock are the parent's.
    if log.processID != FlatFileOwner.thisProcess { return }
    let result: Result<Void, StorageError> = entries.withLock { entries in
      guard Self.removeUser(of: log, &entries) else { return .success(()) }
      do throws(StorageError) {
        try log.close()
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Removes a user that was not closed: the file stays open as long as it is referenced.
  func letGo(_ log: FlatFileLog) {
    entries.withLock { entries in
      guard let place = entries.firstIndex(where: { $0.log === log }) else { return }
      entries[place].users -= 1
    }
  }

  /// - Returns: Whether it was the last.
  private static func removeUser(of log: FlatFileLog, _ entries: inout [Entry]) -> Bool {
    guard let place = entries.firstIndex(where: { $0.log === log }) else { return false }
    entries[place].users -= 1
    if entries[place].users > 0 { return false }
    entries.remove(at: place)
    return true
  }
}
