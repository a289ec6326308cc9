import QuarryBackend
import QuarrySystem
import QuarryTree

/// Writes a state as the first commit of a file: batches of about a megabyte with the entries of all trees, in the order
/// of their keys, so that reading them fills nodes one after the other.
final class SnapshotWriter {
  static let partBytes = 1 << 20

  private let file: any StoreFile
  private let header: FlatFileHeader
  private let key: FlatFileKey?
  private let mayGoOn: () throws(StorageError) -> Void
  private let batch: BatchWriter
  private var batches = 0
  /// Where the next batch goes.
  private(set) var end: Int
  /// ``FlatFileMark/chain`` up to there.
  private(set) var chain: UInt32 = 0
  /// The tag of the last batch of an encrypted file.
  private(set) var last = BatchTag()

  /// - Parameters:
  ///   - key: The key that seals the file; nil for a plain one.
  ///   - mayGoOn: Is asked now and then, and ends the work with what it throws.
  init(
    _ file: any StoreFile, _ header: FlatFileHeader, _ key: FlatFileKey?,
    mayGoOn: @escaping () throws(StorageError) -> Void
  ) {
    self.file = file
    self.header = header
    self.key = key
    self.mayGoOn = mayGoOn
    batch = BatchWriter(isSealed: key != nil)
    end = header.firstBatch
  }

  /// Writes a file that has nothing but the state and was closed properly, up to its last sync.
  ///
  /// - Parameter file: A file that does not have its final name yet.
  /// - Returns: Its length.
  static func writeClosed(
    _ state: TreeState, to file: any StoreFile, _ header: FlatFileHeader, _ key: FlatFileKey?,
    mayGoOn: @escaping () throws(StorageError) -> Void = {}
  ) throws(StorageError) -> Int {
    let mark = FlatFileMark.first(isClosed: false, in: header)
    try FlatFileOpening.write(header, mark, key, to: file)
    let writer = SnapshotWriter(file, header, key, mayGoOn: mayGoOn)
    _ = try writer.write(state)
    // Whatever has a name is on the disk: the mark and what it speaks of get there together.
    _ = try mark.next(
      isClosed: true, end: writer.end, commit: header.snapshot, chain: writer.chain, last: writer.last
    ).settle(in: file, of: header, key)
    try FlatFileOwner.clear(in: file)
    try file.sync()
    return writer.end
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
    if let key {
      let header = BatchHeader(
        flags: flags, tag: header.tag, commit: header.snapshot, synced: 0, length: 0, contentChecksum: 0)
      last = try batch.seal(header, key.cipher, after: last)
      try batch.withSealedBatch { bytes throws(StorageError) in try append(bytes) }
    } else {
      try batch.withBatch(
        flags: flags, tag: header.tag, commit: header.snapshot, synced: 0, contentChecksum: batch.contentChecksum()
      ) { bytes throws(StorageError) in try append(bytes) }
    }
    batches += 1
    batch.reset()
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try file.write(bytes, at: end)
    chain = FlatFileMark.chain(chain, BatchHeader.checksum(bytes))
    end += bytes.count
  }
}
