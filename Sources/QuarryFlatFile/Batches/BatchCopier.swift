import QuarryBackend
import QuarrySystem

/// Copies whole batches from one file of a store to another, whose tag they get, and whose seal where it is encrypted.
struct BatchCopier {
  /// A file, with what it is sealed with.
  struct End {
    var file: any StoreFile
    var header: FlatFileHeader
    var key: FlatFileKey?
  }

  private let reader: End
  private let writer: End
  /// Up to where batches were copied, in the old file and in the new one.
  private(set) var source: Int
  private(set) var destination: Int
  private(set) var batches = 0
  /// ``FlatFileMark/chain`` up to there in the new file, and the tag of the last batch.
  private(set) var chain: UInt32
  private(set) var last: BatchTag

  /// - Parameter snapshot: The writer of the beginning of the new file.
  init(from reader: End, at source: Int, to writer: End, behind snapshot: SnapshotWriter) {
    self.reader = reader
    self.source = source
    self.writer = writer
    destination = snapshot.end
    chain = snapshot.chain
    last = snapshot.last
  }

  /// - Returns: How many batches were copied.
  /// - Throws: `corrupt` when the old file does not hold what was written to it.
  @discardableResult
  mutating func copy(upTo end: Int) throws(StorageError) -> Int {
    let before = batches
    let batches = BatchReader(reader.file, tag: reader.header.tag, reader.key?.cipher, end: end)
    while source < end {
      guard case .batch(let batch) = try batches.read(at: source, after: nil) else {
        throw StorageError(.corrupt, "the batch at byte \(source) was damaged after it was written")
      }
      if let key = writer.key { try append(batch, sealed: key) } else { try append(batch) }
      source += batch.header.byteCount
      self.batches += 1
    }
    return self.batches - before
  }

  private mutating func append(_ batch: BatchReader.Batch) throws(StorageError) {
    var header = batch.header
    header.tag = writer.header.tag
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: FlatFileFormat.batchHeaderBytes, alignment: 8)
    defer { bytes.deallocate() }
    header.encode(into: bytes)
    chain = FlatFileMark.chain(chain, BatchHeader.checksum(UnsafeRawBufferPointer(bytes)))
    try writer.file.write(UnsafeRawBufferPointer(bytes), at: destination)
    try writer.file.write(batch.content, at: destination + bytes.count)
    destination += header.byteCount
  }

  /// The batch has the same bytes before and after: it is sealed where it was opened.
  private mutating func append(_ batch: BatchReader.Batch, sealed key: FlatFileKey) throws(StorageError) {
    var header = batch.header
    header.tag = writer.header.tag
    last = try BatchSeal.seal(&header, in: batch.whole, key.cipher, after: last)
    let bytes = UnsafeRawBufferPointer(batch.whole)
    chain = FlatFileMark.chain(chain, BatchHeader.checksum(bytes))
    try writer.file.write(bytes, at: destination)
    destination += bytes.count
  }
}
