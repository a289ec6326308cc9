public import QuarryBackend
import QuarrySystem

extension FlatFileConfiguration: RestoringProvider {
  public func restoreBackup(
    at path: String, replacing: Bool, _ encryption: Encryption?
  ) throws(StorageError) -> RestoredBackup {
    let files = SystemFileSystem()
    let opening = try FlatFileOpening(self.path, files)
    var backup = self
    backup.path = path
    return try BackupRestoration(opening.path, files).run(
      from: backup, replacing: replacing, encryption, Self.scratchName
    ) { copy throws(StorageError) in
      try opening.exchange(for: copy)
    }
  }
}

extension FlatFileOpening {
  /// Puts the file aside with the ends that were kept of it, and gives another one its place.
  ///
  /// - Returns: Where the old one is; nil where there was none.
  /// - Throws: `inUse` when it is open for writing anywhere; `corrupt` for a path that is no file; `io`.
  fileprivate func exchange(for copy: String) throws(StorageError) -> String? {
    let tails = try FlatFileTail.names(path, files)
    var old: String?
    if let file = try files.open(path, .readWrite) {
      guard try file.lock() else { throw inUse(FlatFileOwner.read(from: file)) }
      guard try files.status(of: path)?.identity == file.status().identity else { throw inUse(nil) }
      let place = try freeQuarantineName()
      try files.rename(path, to: place)
      old = place
      try moveTails(tails, to: place)
      try files.syncDirectory(of: place)
    } else if !tails.isEmpty {
      try moveTails(tails, to: freeQuarantineName())
    }
    try files.rename(copy, to: path)
    return old
  }

  private func freeQuarantineName() throws(StorageError) -> String {
    try QuarantineName.free(for: path) { name throws(StorageError) in try files.status(of: name) != nil }
  }

  private func moveTails(_ tails: [String], to place: String) throws(StorageError) {
    for tail in tails { try files.rename(tail, to: FlatFileTail.path(tail, of: path, beside: place)) }
  }
}
