public import QuarryBackend
import QuarrySystem
import QuarryTree

/// What can be done with a flat file besides opening it.
public enum FlatFile {
  /// What ``FlatFile/salvage(from:to:)`` found.
  public struct Salvage: Sendable, Hashable {
    /// A part of the file that could not be read.
    public struct Loss: Sendable, Hashable {
      public var offset: Int
      public var bytes: Int
      /// The commits that were lost with it, where whole ones on both sides tell; nil for a part of the snapshot that a
      /// file begins with, and at the end of the file.
      public var commits: ClosedRange<UInt64>?
      public var reason: String
    }

    /// Commits that were brought over, a snapshot counted as one.
    public var commits = 0
    /// The last of them.
    public var version = CommitVersion(0)
    public var losses: [Loss] = []
    /// Whether the header was lost too. The new store has an identity of its own in any case.
    public var isHeaderLost = false
    /// Indexes, as `Model.index`, that were filled anew from the rows, because a commit between others was lost.
    public var rebuiltIndexes: [String] = []
    /// Unique indexes that the rows no longer satisfy. They are not in the new store.
    public var droppedIndexes: [String] = []

    /// Whether nothing but the end of the file was lost, so that the new store has a state that was once committed.
    public internal(set) var isPrefix = true
  }

  /// Brings everything that is whole in a damaged file into a new store, and leaves the old file as it is.
  ///
  /// The file may also be the end of one that was kept aside when a store was opened (``OpeningReport/Tail``): the new
  /// store then has what the store had before it, and what is whole in it.
  ///
  /// Whole commits are done one after the other, over gaps too. After a gap the new store may have a state that never
  /// was: rows are as the last whole commit that wrote them left them, so that what a lost commit added is missing, what
  /// it changed is as before, and what it deleted is there again. Indexes are then filled anew from the rows.
  ///
  /// - Parameter newPath: Where there is nothing yet.
  /// - Throws: `notFound`; `invalidValue` when something is at the new path; `corrupt` when there is not one whole
  ///   commit; `schemaTooNew`; `io`; `full`.
  public static func salvage(from path: String, to newPath: String) throws(StorageError) -> Salvage {
    var (salvage, state) = try read(path, SystemFileSystem())
    try write(state, to: newPath, SystemFileSystem())
    if !salvage.isPrefix { try rebuildIndexes(newPath, &salvage) }
    return salvage
  }

  /// Everything that is whole.
  static func read(_ path: String, _ files: any FlatFileSystem) throws(StorageError) -> (Salvage, TreeState) {
    let path = try files.resolve(path)
    guard let file = try files.open(path, .read) else {
      throw StorageError(.notFound, "there is no file at \(path)")
    }
    if let tail = try KeptTail(file, path: path) { return try read(tail, file, files) }
    let end = try file.status().size
    var salvage = Salvage()
    let (reader, offset, snapshot) = try beginning(file, path, end, &salvage)
    var replay = Replay(reader, snapshot: snapshot)
    try replay.run(from: offset, &salvage)
    if replay.isInsideCommit { salvage.isPrefix = false }
    if salvage.commits == 0 && salvage.isHeaderLost {
      throw StorageError(.corrupt, "there is not one whole commit in \(path)")
    }
    if !salvage.isHeaderLost, let mark = try? FlatFileContent.header(of: file, path: path).1, mark.end > end {
      salvage.lose(end..<mark.end, "the file ends here")
      if mark.commit > replay.version {
        salvage.losses[salvage.losses.count - 1].commits = replay.version + 1...mark.commit
      }
    }
    salvage.version = CommitVersion(replay.version)
    return (salvage, TreeState(version: salvage.version, trees: replay.trees))
  }

  /// A reader of the file's batches, where they begin, and with which commit where that is not the first.
  private static func beginning(
    _ file: any StoreFile, _ path: String, _ end: Int, _ salvage: inout Salvage
  ) throws(StorageError) -> (BatchReader, offset: Int, snapshot: UInt64) {
    var reader = BatchReader(file, tag: nil, end: end)
    do throws(StorageError) {
      let window = ReadWindow(file, size: FlatFileFormat.firstBatch)
      let header = try FlatFileHeader(
        window.bytes(at: 0, count: FlatFileFormat.firstBatch, end: FlatFileFormat.firstBatch), of: path)
      reader.tag = header.tag
      return (reader, FlatFileFormat.firstBatch, header.snapshot)
    } catch {
      guard error.code == .corrupt else { throw error }
      guard let first = try reader.search(from: 0, where: { _ in true }) else {
        throw StorageError(.corrupt, "there is not one whole commit in \(path)", cause: error)
      }
      salvage.isHeaderLost = true
      reader.tag = first.header.tag
      if first.offset > FlatFileFormat.firstBatch {
        salvage.lose(FlatFileFormat.firstBatch..<first.offset, "there is no batch with a right header")
        salvage.isPrefix = false
      }
      return (reader, first.offset, first.header.commit > 1 ? first.header.commit : 0)
    }
  }

  /// What a store would have with the end of its file that was kept aside, as far as that is whole: the state that it had
  /// when the end was cut off, or, where it was rewritten since, the newest.
  private static func read(
    _ tail: KeptTail, _ file: any StoreFile, _ files: any FlatFileSystem
  ) throws(StorageError) -> (Salvage, TreeState) {
    var salvage = Salvage()
    salvage.isPrefix = false
    var replay = Replay(
      BatchReader(file, tag: tail.tag, end: tail.bytes + FlatFileTail.headerBytes), snapshot: 0)
    guard let path = FlatFileTail.store(of: tail.path), let store = try files.open(path, .read) else {
      throw StorageError(.notFound, "the store that \(tail.path) is the end of is not beside it")
    }
    let (header, _) = try FlatFileContent.header(of: store, path: path)
    guard header.identity == tail.identity else {
      throw StorageError(.invalidValue, "\(tail.path) is the end of another store than \(path)")
    }
    var content = try FlatFileContent(reading: store, path: path, upTo: header.tag == tail.tag ? tail.offset : nil)
    if header.tag == tail.tag, content.state.version.rawValue != tail.commit || content.chain != tail.chain {
      content = try FlatFileContent(reading: store, path: path)
    }
    replay.trees = content.state.trees
    replay.version = tail.commit
    try replay.run(from: FlatFileTail.headerBytes, &salvage)
    if salvage.commits == 0 {
      throw StorageError(.corrupt, "there is not one whole commit in \(tail.path)")
    }
    salvage.version = CommitVersion(max(replay.version, content.state.version.rawValue))
    return (salvage, TreeState(version: salvage.version, trees: replay.trees))
  }

  /// Makes a store with that state.
  static func write(_ state: TreeState, to path: String, _ files: any FlatFileSystem) throws(StorageError) {
    let opening = try FlatFileOpening(path, files)
    guard try files.status(of: opening.path) == nil else {
      throw StorageError(.invalidValue, "there is something at \(opening.path) already")
    }
    var header = FlatFileHeader.random()
    header.snapshot = state.version.rawValue
    let mark = FlatFileMark.first(isClosed: false)
    guard let file = try files.open(opening.partialPath, .create) else {
      throw StorageError(.io, "\(opening.partialPath) was not made")
    }
    guard try file.lock() else { throw .inUse(by: nil, "\(opening.partialPath) is in use") }
    do throws(StorageError) {
      try FlatFileOpening.write(header, mark, to: file)
      let writer = SnapshotWriter(file, header) {}
      _ = try writer.write(state)
      // Whatever has a name is on the disk: the mark and what it speaks of get there together.
      try mark.next(isClosed: true, end: writer.end, commit: header.snapshot, chain: writer.chain)
        .write(to: file, tag: header.tag)
      try FlatFileOwner.clear(in: file)
      try file.sync()
      try files.rename(opening.partialPath, to: opening.path)
    } catch {
      try? files.remove(opening.partialPath)
      throw error
    }
    try files.syncDirectory(of: opening.path)
  }

  /// Fills all indexes from the rows.
  private static func rebuildIndexes(_ path: String, _ salvage: inout Salvage) throws(StorageError) {
    let backend = try FlatFileConfiguration(path: path, compaction: .manual).open(OpenOptions())
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

  /// Notes which commits the last loss took with it.
  mutating func noteGap(_ commits: ClosedRange<UInt64>) {
    isPrefix = false
    if losses.isEmpty { return }
    losses[losses.count - 1].commits = commits
  }
}
