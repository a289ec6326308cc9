public import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SQLiteConfiguration: RestoringProvider {
  public func restoreBackup(
    at path: String, replacing: Bool, _ encryption: Encryption?
  ) throws(StorageError) -> RestoredBackup {
    let file = try SQLiteFile(self.path)
    try file.requireOrdinaryLogs()
    var backup = self
    backup.path = path
    return try BackupRestoration(file.path, SystemFileSystem()).run(
      from: backup, replacing: replacing, encryption, Self.scratchName
    ) { copy throws(StorageError) in
      try file.exchange(for: copy)
    }
  }
}

extension SQLiteFile {
  /// Puts the database aside with its logs, and gives another one its place.
  ///
  /// - Returns: Where the old one is; nil where there was none.
  /// - Throws: `inUse` when it is open anywhere; `corrupt` for a path that is no file; `io`.
  fileprivate func exchange(for copy: String) throws(StorageError) -> String? {
    let files = SystemFileSystem()
    // The lock is on a file.
    if try size() == nil { try create() }
    // SQLite locks any file, whatever is in it, and whether it is sealed.
    let old: String?? = try withLockedFile(nil) { () throws(StorageError) in
      let old = try freeQuarantineName()
      if databaseByteCount == 0 {
        let logs = try putLogsAside(as: old)
        try files.rename(copy, to: path)
        return logs?.movedTo
      }
      // The logs have both names for a moment, so that the database is never without them.
      for ending in Self.logEndings where try OwnFile.isThere(path + ending) {
        if link(path + ending, old + ending) != 0 { throw StorageError(systemError: errno, "\(old)\(ending)") }
      }
      try files.rename(path, to: old)
      for ending in Self.endings { try files.remove(path + ending) }
      try files.syncDirectory(of: old)
      try files.rename(copy, to: path)
      return old
    }
    guard let old else { throw .inUse(by: nil, "\(path) is open elsewhere") }
    return old
  }
}
