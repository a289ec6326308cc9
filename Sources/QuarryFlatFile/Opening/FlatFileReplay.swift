import QuarryBackend
import QuarryTree

/// Does what the whole commits of a damaged file say, over gaps too.
struct Replay {
  private let reader: BatchReader
  /// The commit that the file begins with a snapshot of.
  private let snapshot: UInt64
  var trees = TreeSet()
  /// The last commit that was done.
  var version: UInt64 = 0
  private(set) var isInsideCommit = false
  /// The tag of the last batch that was done, of an encrypted file.
  var last = BatchTag()

  init(_ reader: BatchReader, snapshot: UInt64) {
    self.reader = reader
    self.snapshot = snapshot
  }

  mutating func run(from start: Int, _ salvage: inout FlatFile.Salvage) throws(StorageError) {
    var offset = start
    let end = reader.end
    while offset < end {
      var reason = "the batch contains an invalid operation"
      switch try reader.read(at: offset, after: nil) {
      case .end:
        break
      case .damage(let found):
        reason = found
      case .batch(let found):
        let batch = found.header
        var changed = trees
        let expected = isInsideCommit ? version : version == 0 && snapshot > 0 ? snapshot : version &+ 1
        if batch.commit >= expected, try BatchContent.apply(found.content, to: &changed) {
          if batch.commit > expected { salvage.noteGap(expected...(batch.commit - 1)) }
          if found.previous != last { salvage.breakChain() }
          last = found.tag
          trees = changed
          if batch.commit != version { salvage.commits += 1 }
          version = batch.commit
          isInsideCommit = batch.moreFollows
          offset += batch.byteCount
          continue
        }
      }
      let (known, isOpen) = (version, isInsideCommit)
      let next = try reader.search(from: offset + 1) { $0.commit > known || ($0.commit == known && isOpen) }
      salvage.lose(offset..<(next?.offset ?? end), reason)
      if next != nil { salvage.isPrefix = false }
      // The rest of a snapshot whose last batch was lost.
      if let next, next.header.commit > known { isInsideCommit = false }
      offset = next?.offset ?? end
    }
  }
}
