public import QuarryBackend
import QuarrySystem
import QuarryTree

/// Operations on a flat file other than opening it.
public enum FlatFile {
  /// The findings of ``FlatFile/salvage(from:to:encryption:newEncryption:)``.
  public struct Salvage: Sendable, Hashable {
    /// A part of the file that could not be read.
    public struct Loss: Sendable, Hashable {
      /// The position of the lost bytes in the file.
      public var offset: Int
      /// The number of lost bytes.
      public var bytes: Int
      /// The commits that were lost with it, if whole commits on both sides show them.
      ///
      /// Nil for a part of the snapshot that a file begins with, and at the end of the file.
      public var commits: ClosedRange<UInt64>?
      /// Why the bytes could not be read.
      public var reason: String
    }

    /// Commits that were brought over, a snapshot counted as one.
    public var commits = 0
    /// The last of them.
    public var version = CommitVersion(0)
    /// The parts of the file that were lost.
    public var losses: [Loss] = []
    /// Whether the header was lost too. The new store has an identity of its own in any case.
    public var isHeaderLost = false
    /// Indexes, as `Model.index`, that were rebuilt from the rows, because a commit between others was lost.
    public var rebuiltIndexes: [String] = []
    /// Unique indexes that the rows no longer satisfy. They are not in the new store.
    public var droppedIndexes: [String] = []

    /// Whether a whole batch of an encrypted file does not follow the batch that was read before it.
    ///
    /// Something between them was lost, exchanged or put back, even if no loss is named.
    public internal(set) var isChainBroken = false

    /// Whether nothing but the end of the file was lost, so that the new store has a state that was once committed.
    public internal(set) var isPrefix = true
  }

  /// Brings everything that is whole in a damaged file into a new store, and leaves the old file as it is.
  ///
  /// The file may also be the end of a file that was kept aside when a store was opened (``OpeningReport/Tail``). The new store
  /// then has the content that the store had before it, and everything whole in it.
  ///
  /// Whole commits are applied one after the other, over gaps too. After a gap the new store may have a state that never existed:
  /// rows are as the last whole commit that wrote them left them. Additions of a lost commit are missing, its changes are not
  /// made, and rows that it deleted are there again. Indexes are then rebuilt from the rows.
  ///
  /// - Parameters:
  ///   - newPath: The path of the new store, where there is nothing yet.
  ///   - encryption: The key of the old file; nil for a plain one. A tail has the key that its store had last.
  ///   - newEncryption: The key of the new store; nil for the same, or for none where the old file is plain.
  /// - Throws: `notFound`; `invalidValue` when something is at the new path. `corrupt` when there is not one whole commit, or
  ///   nothing is left of the key in the file. `keyRequired`, `wrongKey`, `notEncrypted`; `schemaTooNew`; `io`; `full`.
  public static func salvage(
    from path: String, to newPath: String, encryption: Encryption? = nil, newEncryption: Encryption? = nil
  ) throws(StorageError) -> Salvage {
    var (salvage, state) = try read(path, SystemFileSystem(), encryption)
    let new = newEncryption ?? encryption
    try write(state, to: newPath, SystemFileSystem(), new)
    if !salvage.isPrefix { try rebuildIndexes(newPath, new, &salvage) }
    return salvage
  }

  /// Everything that is whole.
  static func read(
    _ path: String, _ files: any FlatFileSystem, _ encryption: Encryption? = nil
  ) throws(StorageError) -> (Salvage, TreeState) {
    let path = try files.resolve(path)
    guard let file = try files.open(path, .read) else {
      throw StorageError(.notFound, "there is no file at \(path)")
    }
    if let tail = try QuarantinedTail(file, path: path) { return try read(tail, file, files, encryption) }
    let end = try file.status().size
    var salvage = Salvage()
    let start = try Start(file, path, end, encryption, &salvage)
    var replay = Replay(start.reader, snapshot: start.snapshot)
    try replay.run(from: start.offset, &salvage)
    if replay.isInsideCommit { salvage.isPrefix = false }
    if salvage.commits == 0 && salvage.isHeaderLost {
      throw StorageError(.corrupt, "there is no whole commit in \(path)")
    }
    if !salvage.isHeaderLost, let mark = try? FlatFileBeginning(of: file, path: path, .known(start.key)).mark,
      mark.end > end
    {
      salvage.lose(end..<mark.end, "the file ends here")
      if mark.commit > replay.version {
        salvage.losses[salvage.losses.count - 1].commits = (replay.version &+ 1)...mark.commit
      }
    }
    salvage.version = CommitVersion(replay.version)
    return (salvage, TreeState(version: salvage.version, trees: replay.trees))
  }

  /// The content of a store with the end of its file that was kept aside, as far as that is whole.
  ///
  /// It is the state that the store had when the end was cut off, or, where it was rewritten since, the newest.
  private static func read(
    _ tail: QuarantinedTail, _ file: any StoreFile, _ files: any FlatFileSystem, _ encryption: Encryption?
  ) throws(StorageError) -> (Salvage, TreeState) {
    var salvage = Salvage()
    salvage.isPrefix = false
    let key = try tail.key(encryption)
    var replay = Replay(
      BatchReader(file, tag: tail.tag, key?.cipher, end: tail.bytes + tail.headerBytes), snapshot: 0)
    replay.last = tail.seal?.last ?? BatchTag()
    guard let path = FlatFileTail.store(of: tail.path), let store = try files.open(path, .read) else {
      throw StorageError(
        .notFound, "there is no store next to \(tail.path), which was cut off one: put both into one folder")
    }
    // One that was decrypted since has tails that are sealed.
    let isSealed = try FlatFileBeginning.envelope(of: store, path: path) != nil
    let source = FlatFileKey.Source.user(isSealed || key == nil ? encryption : nil)
    let beginning = try FlatFileBeginning(of: store, path: path, source)
    let header = beginning.header
    guard header.identity == tail.identity else {
      throw StorageError(.invalidValue, "\(tail.path) was cut off another store, not \(path)")
    }
    let known = FlatFileKey.Source.known(beginning.key)
    var content = try FlatFileContent(
      reading: store, path: path, known, upTo: header.tag == tail.tag ? tail.offset : nil)
    if header.tag == tail.tag, content.state.version.rawValue != tail.commit || content.chain != tail.chain {
      content = try FlatFileContent(reading: store, path: path, known)
    }
    replay.trees = content.state.trees
    replay.version = tail.commit
    try replay.run(from: tail.headerBytes, &salvage)
    if salvage.commits == 0 {
      throw StorageError(.corrupt, "there is no whole commit in \(tail.path)")
    }
    salvage.version = CommitVersion(max(replay.version, content.state.version.rawValue))
    return (salvage, TreeState(version: salvage.version, trees: replay.trees))
  }

  /// Makes a store with that state.
  static func write(
    _ state: TreeState, to path: String, _ files: any FlatFileSystem, _ encryption: Encryption? = nil
  ) throws(StorageError) {
    let opening = try FlatFileOpening(path, files)
    guard try files.status(of: opening.path) == nil else {
      throw StorageError(.invalidValue, "\(opening.path) already exists")
    }
    let header = FlatFileHeader.random(isSealed: encryption != nil, snapshot: state.version.rawValue)
    let key = try FlatFileKey.made(encryption, for: header.identity)
    guard let file = try files.open(opening.partialPath, .create) else {
      throw StorageError(.io, "\(opening.partialPath) could not be created")
    }
    guard try file.lock() else { throw .inUse(by: nil, "\(opening.partialPath) is in use") }
    do throws(StorageError) {
      _ = try SnapshotWriter.writeClosed(state, to: file, header, key)
      try files.rename(opening.partialPath, to: opening.path)
    } catch {
      try? files.remove(opening.partialPath)
      throw error
    }
    try files.syncDirectory(of: opening.path)
  }

  /// Fills all indexes from the rows.
  private static func rebuildIndexes(
    _ path: String, _ encryption: Encryption?, _ salvage: inout Salvage
  ) throws(StorageError) {
    var options = OpenOptions()
    options.encryption = encryption
    let backend = try FlatFileConfiguration(path: path, compaction: .manual).open(options)
    do throws(StorageError) {
      let transaction = try backend.beginWrite(WriteOptions())
      for model in transaction.schema.models {
        for index in model.indexes {
          let name = "\(model.name).\(index.name)"
          try transaction.apply(.dropIndex(model.id, index: index.id))
          do throws(StorageError) {
            try transaction.apply(.createIndex(model.id, index))
            salvage.rebuiltIndexes.append(name)
          } catch {
            guard error.code == .uniqueViolation else { throw error }
            salvage.droppedIndexes.append(name)
          }
        }
      }
      _ = try transaction.commit()
    } catch {
      try? backend.close()
      throw error
    }
    try backend.close()
  }
}

extension FlatFile.Salvage {
  mutating func lose(_ range: Range<Int>, _ reason: String) {
    losses.append(Loss(offset: range.lowerBound, bytes: range.count, commits: nil, reason: reason))
  }

  /// Notes that the chain of tags does not hold.
  mutating func breakChain() {
    isChainBroken = true
    isPrefix = false
  }

  /// Notes which commits the last loss took with it.
  mutating func noteGap(_ commits: ClosedRange<UInt64>) {
    isPrefix = false
    if losses.isEmpty { return }
    losses[losses.count - 1].commits = commits
  }
}
