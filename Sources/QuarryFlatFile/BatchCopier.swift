import QuarryBackend
import QuarrySystem

/// Copies whole batches from one file of a store to another, whose tag they get.
struct BatchCopier {
  private let reader: any StoreFile
  private let writer: any StoreFile
  private let tag: UInt64
  /// Up to where batches were copied, in the old file and in the new one.
  private(set) var source: Int
  private(set) var destination: Int
  private(set) var batches = 0
  /// ``FlatFileMark/chain`` up to there in the new file.
  private(set) var chain: UInt32

  init(
    from reader: any StoreFile, at source: Int, to writer: any StoreFile, at destination: Int, _ tag: UInt64,
    chain: UInt32
  ) {
    self.chain = chain
    self.reader = reader
    self.writer = writer
    self.source = source
    self.destination = destination
    self.tag = tag
  }

  /// - Returns: How many batches were copied.
  /// - Throws: `corrupt` when the old file does not hold what was written to it.
  @discardableResult
  mutating func copy(upTo end: Int) throws(StorageError) -> Int {
    let before = batches
    let batches = BatchReader(reader, tag: nil, end: end)
    while source < end {
      guard case .batch(var header, let content) = try batches.find(at: source) else {
        throw StorageError(.corrupt, "the batch at byte \(source) was damaged after it was written")
      }
      header.tag = tag
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FlatFileFormat.batchHeaderBytes, alignment: 8)
      defer { bytes.deallocate() }
      header.encode(into: bytes)
      chain = FlatFileMark.chain(chain, BatchHeader.checksum(UnsafeRawBufferPointer(bytes)))
      try writer.write(UnsafeRawBufferPointer(bytes), at: destination)
      try writer.write(content, at: destination + bytes.count)
      source += bytes.count + header.length
      destination += bytes.count + header.length
      self.batches += 1
    }
    return self.batches - before
  }
}
