public import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension LMDBConfiguration: RestoringProvider {
  public func restoreBackup(
    at path: String, replacing: Bool, _ encryption: Encryption?
  ) throws(StorageError) -> RestoredBackup {
    let file = try LMDBFile(self.path)
    try file.requireOrdinaryFiles()
    var backup = self
    backup.path = path
    return try BackupRestoration(file.path, SystemFileSystem()).run(
      from: backup, replacing: replacing, encryption, Self.scratchName
    ) { copy throws(StorageError) in
      try LMDBRegistry.shared.exchangeClosed(file, for: copy)
    }
  }
}

extension LMDBRegistry {
  /// Puts aside the directory of a store that is not open, and gives another one its place.
  ///
  /// - Returns: Where the old one is; nil where there was none.
  /// - Throws: `inUse` when it is open anywhere; `corrupt` for a path that is no store's directory; `io`.
  fileprivate func exchangeClosed(_ file: LMDBFile, for copy: String) throws(StorageError) -> String? {
    let files = SystemFileSystem()
    guard let identity = try file.identity() else {
      // An empty directory is replaced by the renaming, and a lock file alone means nothing, unless another process is creating a
      // store there now.
      let alone = try files.status(of: file.path) == nil ? nil : try LMDBDirectoryLock(exclusive: file)
      defer { alone?.end() }
      guard try file.identity() == nil else { throw .inUse(by: nil, "a store was created at \(file.path) meanwhile") }
      if alone != nil { unlink(file.lockPath) }
      try files.rename(copy, to: file.path)
      return nil
    }
    var place = ""
    try withClosed(identity, file) { () throws(StorageError) in
      let alone = try LMDBDirectoryLock(exclusive: file)
      defer { alone.end() }
      if let other = try file.processWithFileOpen() {
        let process = other > 0 ? other : nil
        throw .inUse(by: process, "\(process.map { "process \($0)" } ?? "another process") has \(file.path) open")
      }
      place = try QuarantineName.free(for: file.path) { name throws(StorageError) in
        try files.status(of: name) != nil
      }
      try files.rename(file.path, to: place)
      try files.syncDirectory(of: place)
      try files.rename(copy, to: file.path)
    }
    return place
  }
}

extension LMDBFile {
  /// A process that has the store open. Only where this process has not: closing a descriptor gives up its locks.
  fileprivate func processWithFileOpen() throws(StorageError) -> Int32? {
    let data = [(LMDBFileLock.presence, LMDBFileLock.presenceCount), (LMDBFileLock.writer, 1)]
    // A program that uses LMDB alone has the first byte of the lock file.
    if let holder = try holder(of: data, in: dataPath) { return holder }
    return try holder(of: [(0, 1)], in: lockPath)
  }

  private func holder(of places: [(start: Int64, count: Int64)], in path: String) throws(StorageError) -> Int32? {
    let descriptor = Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw StorageError(systemError: errno, path)
    }
    defer { close(descriptor) }
    let locks = ByteLocks(descriptor: descriptor)
    return places.lazy.compactMap { locks.holder($0.start, count: $0.count) }.first
  }
}
