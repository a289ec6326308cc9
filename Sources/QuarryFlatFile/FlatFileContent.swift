import QuarryBackend
import QuarryKeyValue

/// What a file holds: the state that its batches make, and where they end.
struct FlatFileContent {
  /// A part of the file behind the last whole commit that is no commit.
  struct Tail: Sendable, Hashable {
    var offset: Int
    var bytes: Int
    var reason: String
  }

  var header: FlatFileHeader
  var state: TreeState
  /// Where the next batch goes.
  var end = FlatFileFormat.firstBatch
  var batches = 0
  /// Commits besides the snapshot that the file begins with.
  var commits = 0
  var tail: Tail?

  /// - Throws: `corrupt`, `schemaTooNew`, `io`.
  static func header(of file: any StoreFile, path: String, end: Int) throws(StorageError) -> FlatFileHeader {
    let window = ReadWindow(file, size: FlatFileFormat.firstBatch)
    return try FlatFileHeader(window.bytes(at: 0, count: FlatFileFormat.firstBatch, end: end), of: path)
  }

  /// Reads a whole file.
  ///
  /// What is left behind the last whole commit is a tail that a crash tore, unless a later batch proves that more had
  /// been on the disk: each batch says which commit was, when it was written.
  ///
  /// - Parameters:
  ///   - end: Nothing behind it is read.
  ///   - appliesContent: Else only checksums and numbers are looked at, and the state has no trees.
  /// - Throws: `corrupt` with the place of the damage; `schemaTooNew`; `io`.
  init(reading file: any StoreFile, path: String, end size: Int, appliesContent: Bool = true) throws(StorageError) {
    header = try Self.header(of: file, path: path, end: size)
    state = .empty
    let reader = BatchReader(file, tag: header.tag, end: size)
    var trees = TreeSet()
    var version: UInt64 = 0
    var isInsideCommit = false
    reading: while true {
      var found = try reader.find(at: end)
      if case .damage = found {
        // A writer in another process may be at work there.
        reader.forget()
        found = try reader.find(at: end)
      }
      switch found {
      case .batch(let batch, let content):
        let expected = isInsideCommit ? version : version == 0 && header.snapshot > 0 ? header.snapshot : version &+ 1
        guard batch.commit == expected, !batch.moreFollows || expected == header.snapshot else {
          throw .damaged(path, at: end, "commit \(batch.commit) stands where \(expected) belongs")
        }
        if appliesContent, try !BatchContent.apply(content, to: &trees) {
          throw .damaged(path, at: end, "the batch of commit \(batch.commit) holds what is no operation")
        }
        version = batch.commit
        isInsideCommit = batch.moreFollows
        batches += 1
        if !batch.moreFollows && version != header.snapshot { commits += 1 }
        end += FlatFileFormat.batchHeaderBytes + batch.length
      case .end:
        break reading
      case .damage(let reason):
        if let later = try reader.search(from: end + 1, where: { $0.synced > version && $0.commit > version }) {
          throw .damaged(path, at: end, "\(reason), and commit \(later.header.commit) follows at \(later.offset)")
        }
        tail = Tail(offset: end, bytes: size - end, reason: reason)
        break reading
      }
    }
    // A rewritten file got its name when its snapshot was on the disk, so no crash can have torn it.
    if version < header.snapshot || isInsideCommit {
      throw .damaged(path, at: end, tail?.reason ?? "the file ends inside its snapshot")
    }
    state = TreeState(version: CommitVersion(version), trees: trees)
  }
}
