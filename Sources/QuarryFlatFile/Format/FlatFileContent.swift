import QuarryBackend
import QuarrySystem
import QuarryTree

/// The content of a file: the state that its batches make, and where they end.
struct FlatFileContent {
  var header: FlatFileHeader
  /// The key that seals it; nil for a plain one.
  var key: FlatFileKey?
  /// The end of the file as the file records it; nil where its format has no marks.
  var mark: FlatFileMark?
  var state: TreeState
  /// Where the next batch goes.
  var end: Int
  var batches = 0
  /// Commits besides the snapshot that the file begins with.
  var commits = 0
  /// ``FlatFileMark/chain`` up to the end.
  var chain: UInt32 = 0
  /// The tag of the last batch of an encrypted file.
  var last = BatchTag()
  /// The bytes behind the last whole commit that are no commit.
  var tail: FlatFileTail?

  /// Whether the file was closed after its last commit; nil where its format does not say.
  /// Nil for a new one, too.
  private(set) var wasClosed: Bool?

  var report: OpeningReport { OpeningReport(wasClosed: wasClosed, tail: tail?.report) }

  /// Reads a whole file.
  ///
  /// The mark in the file's beginning records the part that has been on the disk; missing or different content there is damage.
  /// Bytes behind the last whole commit after that are a tail that a crash may have torn, unless a later batch proves that more
  /// had been on the disk. Each batch records which commit was on the disk when it was written.
  ///
  /// - Parameters:
  ///   - source: The source of the key of a sealed file.
  ///   - limit: Nothing behind it is read, and the end that the file records there is not checked; nil for all.
  ///   - appliesContent: If false, only checksums, tags and numbers are checked, and the state has no trees.
  /// - Throws: `corrupt` with the place of the damage; `keyRequired`, `wrongKey`, `notEncrypted`; `schemaTooNew`; `io`.
  init(
    reading file: any StoreFile, path: String, _ source: FlatFileKey.Source = .user(nil), upTo limit: Int? = nil,
    appliesContent: Bool = true
  ) throws(StorageError) {
    let beginning = try FlatFileBeginning(of: file, path: path, source)
    (header, key, mark) = (beginning.header, beginning.key, beginning.mark)
    end = header.firstBatch
    // After the mark: a writer makes the file longer before it says so.
    let size = min(limit ?? .max, try file.status().size)
    // The end that the file records, until it was verified.
    var claim = mark
    if let limit, let end = mark?.end, end > limit { claim = nil }
    state = .empty
    let reader = BatchReader(file, tag: header.tag, key?.cipher, end: size)
    var trees = TreeSet()
    var version: UInt64 = 0
    var isInsideCommit = false
    reading: while true {
      if let said = claim, end >= said.end {
        guard end == said.end, version == said.commit, chain == said.chain, last == said.last, !isInsideCommit else {
          throw .damaged(path, at: said.end, "what is before is not what the file had when it said where it ends")
        }
        claim = nil
      }
      var found = try reader.read(at: end, after: last)
      if case .damage = found {
        // A writer in another process may be at work there.
        reader.forget()
        found = try reader.read(at: end, after: last)
      }
      switch found {
      case .batch(let found):
        let batch = found.header
        let expected = isInsideCommit ? version : version == 0 && header.snapshot > 0 ? header.snapshot : version &+ 1
        guard batch.commit == expected, !batch.moreFollows || expected == header.snapshot else {
          throw .damaged(path, at: end, "commit \(batch.commit) is where \(expected) should be")
        }
        if appliesContent, try !BatchContent.apply(found.content, to: &trees) {
          throw .damaged(path, at: end, "the batch of commit \(batch.commit) contains an invalid operation")
        }
        version = batch.commit
        isInsideCommit = batch.moreFollows
        batches += 1
        if !batch.moreFollows && version != header.snapshot { commits += 1 }
        end += batch.byteCount
        chain = FlatFileMark.chain(chain, batch.checksum)
        last = found.tag
      case .end:
        if let claim {
          throw .damaged(
            path, at: end, "the file ends here, and had commits to \(claim.commit) up to byte \(claim.end)")
        }
        break reading
      case .damage(let reason):
        if claim != nil { throw .damaged(path, at: end, reason) }
        // No process leaves so much by ending, and to look through it and keep it aside would not end.
        if size - end > FlatFileFormat.longestBatch {
          throw .damaged(path, at: end, "\(size - end) bytes follow that are not a commit, more than any commit has")
        }
        if let later = try reader.search(from: end + 1, where: { $0.synced > version && $0.commit > version }) {
          throw .damaged(path, at: end, "\(reason), and commit \(later.header.commit) follows at \(later.offset)")
        }
        tail = FlatFileTail(
          offset: end, bytes: size - end, reason: reason, isBeginning: try reader.isBeginning(at: end))
        break reading
      }
    }
    // A rewritten file got its name when its snapshot was on the disk, so no crash can have torn it.
    if version < header.snapshot || isInsideCommit {
      throw .damaged(path, at: end, tail?.reason ?? "the file ends inside its snapshot")
    }
    state = TreeState(version: CommitVersion(version), trees: trees)
    if let mark { wasClosed = mark.isClosed && mark.end == end && tail == nil }
  }
}
