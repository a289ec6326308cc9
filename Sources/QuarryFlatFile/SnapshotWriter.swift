import QuarryBackend
import QuarrySystem
import QuarryTree

/// Writes a state as the first commit of a file: batches of about a megabyte with the entries of all trees, in the order
/// of their keys, so that reading them fills nodes one after the other.
final class SnapshotWriter {
  static let partBytes = 1 << 20

  private let file: any StoreFile
  private let header: FlatFileHeader
  private let mayGoOn: () throws(StorageError) -> Void
  private let batch = BatchWriter()
  private var batches = 0
  /// Where the next batch goes.
  private(set) var end = FlatFileFormat.firstBatch
  /// ``FlatFileMark/chain`` up to there.
  private(set) var chain: UInt32 = 0

  /// - Parameter mayGoOn: Is asked now and then, and ends the work with what it throws.
  init(
    _ file: any StoreFile, _ header: FlatFileHeader, mayGoOn: @escaping () throws(StorageError) -> Void
  ) {
    self.file = file
    self.header = header
    self.mayGoOn = mayGoOn
  }

  /// - Returns: How many batches were written.
  func write(_ state: TreeState) throws(StorageError) -> Int {
    // The state before the first commit has no number that a batch could have.
    if header.snapshot == 0 { return 0 }
    for entry in state.trees.entries {
      var cursor = entry.tree.cursor(in: .all, descending: false)
      while let (key, value) = cursor.next() {
        batch.put(entry.id, key, value)
        if batch.byteCount >= Self.partBytes { try flush(flags: FlatFileFormat.moreFollows) }
      }
    }
    try flush(flags: 0)
    return batches
  }

  private func flush(flags: UInt32) throws(StorageError) {
    try mayGoOn()
    let end = end
    self.end = try batch.withBatch(
      flags: flags, tag: header.tag, commit: header.snapshot, synced: 0, contentChecksum: batch.contentChecksum()
    ) { bytes throws(StorageError) in
      try file.write(bytes, at: end)
      chain = FlatFileMark.chain(chain, BatchHeader.checksum(bytes))
      return end + bytes.count
    }
    batches += 1
    batch.reset()
  }
}
