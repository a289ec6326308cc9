import QuarryBackend
import QuarryKeyValue
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens and makes files.
struct FlatFileOpening {
  let files: any FlatFileSystem
  /// Without links.
  let path: String
  /// The key of the store; nil for a plain one.
  let encryption: Encryption?
  /// The path of a file that becomes the store in one step, by renaming.
  var partialPath: String { OwnName.partial(path) }

  init(_ path: String, _ files: any FlatFileSystem, _ encryption: Encryption? = nil) throws(StorageError) {
    self.files = files
    self.encryption = encryption
    self.path = try files.resolve(path)
    if let error = StorageError.unusablePath(self.path, limit: Self.longestPath) { throw error }
  }

  /// Maximum bytes of a path: the files next to it have endings.
  static let longestPath = Int(PATH_MAX) - 1 - "._quarry.partial".utf8.count

  /// Opens the file for reading: what it holds now.
  ///
  /// - Throws: `notFound`, also for a file without a byte; what ``FlatFileContent`` throws.
  func openForReading() throws(StorageError) -> (file: any StoreFile, content: FlatFileContent) {
    guard try checkKind() != nil, let file = try files.open(path, .read) else { throw notFound }
    if try file.status().size == 0 { throw notFound }
    return (file, try FlatFileContent(reading: file, path: path, .user(encryption)))
  }

  /// The slot that holds the key of the store; nil for a plain one.
  ///
  /// - Throws: `notFound`, `corrupt`, `schemaTooNew`, `io`.
  func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    guard try checkKind() != nil, let file = try files.open(path, .read) else { throw notFound }
    if try file.status().size == 0 { throw notFound }
    return try FlatFileBeginning.envelope(of: file, path: path)?.slot
  }

  /// How long to wait for a lock whose owner is not named in the file. Such a lock is not a writer's. Its holder has just given
  /// the file its name, as a backup does, and is about to release it.
  private static var patience: Duration { .seconds(1) }

  /// Opens the file for writing, with the lock, and puts what is behind the last whole commit into a file of its own.
  ///
  /// A key that was not changed to its end, or is damaged at one of its places, stays so until the first commit.
  ///
  /// - Throws: `notFound`, `inUse`, `keyRequired`, `wrongKey`, `notEncrypted`, `corrupt`, `schemaTooNew`, `io`, `full`.
  func openForWriting(createsIfMissing: Bool) throws(StorageError) -> (file: any StoreFile, content: FlatFileContent) {
    let end = ContinuousClock.now + Self.patience
    // Another process may rename a file over this one between any two steps here.
    for _ in 0..<1000 {
      let before = try checkKind()
      guard before != nil, let file = try openWritable() else {
        if !createsIfMissing { throw notFound }
        if let made = try make(instead: nil) { return made }
        continue
      }
      guard try file.lock() else {
        let owner = FlatFileOwner.read(from: file)
        if owner == nil, ContinuousClock.now < end { continue }
        throw inUse(owner)
      }
      let status = try file.status()
      guard try files.status(of: path)?.identity == status.identity else { continue }
      if status.size == 0 {
        if !createsIfMissing { throw notFound }
        if let made = try make(instead: status.identity) { return made }
        continue
      }
      // Nothing is written to a file of another kind, or with another key.
      let key = try FlatFileBeginning(of: file, path: path, .user(encryption)).key
      let owner = try FlatFileOwner.set(in: file)
      var content: FlatFileContent
      do throws(StorageError) {
        content = try FlatFileContent(reading: file, path: path, .known(key))
        if var tail = content.tail {
          try tail.keep(file, content, self)
          content.tail = tail
          try file.truncate(to: content.end)
        }
        if content.mark == nil { try addMarks(to: file, &content) }
      } catch {
        try? FlatFileOwner.restore(owner, in: file)
        throw error
      }
      // A rewrite that a crash ended.
      try files.remove(partialPath)
      return (file, content)
    }
    throw StorageError(.busy, "\(path) was replaced repeatedly while it was opened")
  }

  private func openWritable() throws(StorageError) -> (any StoreFile)? {
    do throws(StorageError) {
      return try files.open(path, .readWrite)
    } catch {
      guard error.isOfMissingRights, (try? files.open(path, .read)) != nil else { throw error }
      throw .isUnwritable(path)
    }
  }

  /// Opens the file for writing, shared by all its writers in this process.
  func openLog(
    createsIfMissing: Bool, _ durability: BackendManifest.Durability, _ compaction: FlatFileConfiguration.Compaction
  ) throws(StorageError) -> FlatFileLog {
    let (file, content) = try openForWriting(createsIfMissing: createsIfMissing)
    guard let mark = content.mark else { throw .damaged(path, at: 0, "the file has no mark of its end") }
    // Data that was read may not have reached the disk before: it is built on only when it has.
    if durability == .powerLoss { try file.sync() }
    return FlatFileLog(
      file, content, mark, synced: durability == .powerLoss ? content.state.version.rawValue : content.header.snapshot,
      report: content.report, files: files, path: path, durability: durability, compaction: compaction)
  }

  private var notFound: StorageError { .noStore(at: path) }

  func inUse(_ process: Int32?) -> StorageError {
    .inUse(by: process, "\(path) is open for writing\(process.map { " in process \($0)" } ?? "")")
  }

  /// - Throws: `corrupt` when it is no ordinary file.
  private func checkKind() throws(StorageError) -> FileStatus? {
    guard let status = try files.status(of: path) else { return nil }
    switch status.kind {
    case .file: return status
    case .directory: throw .isNoStore(path, "a directory")
    case .other: throw .isNoStore(path, "not a regular file")
    }
  }

  /// Makes an empty store, of which nothing is seen before it is whole.
  ///
  /// - Parameter identity: The empty file that it takes the place of.
  /// - Returns: Nil when another process or thread was quicker.
  private func make(
    instead identity: FileIdentity?
  ) throws(StorageError) -> (file: any StoreFile, content: FlatFileContent)? {
    let header = FlatFileHeader.random(isSealed: encryption != nil)
    let key = try FlatFileKey.made(encryption, for: header.identity)
    guard let file = try files.open(partialPath, .create) else { return nil }
    guard try file.lock() else { throw inUse(FlatFileOwner.read(from: file)) }
    guard try files.status(of: partialPath)?.identity == file.status().identity,
      try files.status(of: path)?.identity == identity
    else { return nil }
    let mark = FlatFileMark.first(isClosed: true, in: header)
    do throws(StorageError) {
      try Self.write(header, mark, key, to: file)
      try file.sync()
      try files.rename(partialPath, to: path)
    } catch {
      try? files.remove(partialPath)
      throw error
    }
    try files.syncDirectory(of: path)
    return (file, FlatFileContent(empty: header, key, mark))
  }

  /// Makes a file that holds nothing but its beginning.
  ///
  /// - Parameter key: The key that seals it; nil for a plain one.
  static func write(
    _ header: FlatFileHeader, _ mark: FlatFileMark, _ key: FlatFileKey?, to file: any StoreFile
  ) throws(StorageError) {
    try file.truncate(to: 0)
    let owner = FlatFileOwner.thisProcess
    if let key {
      try file.write(header.encoded(owner: owner, mark: mark, key), at: 0)
    } else {
      try file.write(header.encoded(owner: owner, mark: mark), at: 0)
    }
  }

  /// Makes a file of the format without marks one that has them. Whenever a crash comes, it is one or the other.
  private func addMarks(to file: any StoreFile, _ content: inout FlatFileContent) throws(StorageError) {
    // A mark speaks of what is on the disk, and has to be there before the header speaks of marks.
    try file.sync()
    let mark = FlatFileMark(
      number: 1, isClosed: false, end: content.end, commit: content.state.version.rawValue, chain: content.chain)
    try mark.write(to: file, of: content.header, nil)
    try file.sync()
    content.header.format = FlatFileFormat.version
    try file.write(content.header.encoded(), at: 0)
    try file.sync()
    content.mark = mark
  }
}

extension FlatFileContent {
  /// The content of a new file.
  init(empty header: FlatFileHeader, _ key: FlatFileKey?, _ mark: FlatFileMark) {
    self.header = header
    self.key = key
    self.mark = mark
    end = header.firstBatch
    state = .empty
  }
}
