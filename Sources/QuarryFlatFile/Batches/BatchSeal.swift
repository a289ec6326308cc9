import QuarryBackend

/// The tag of a sealed batch, which the next batch repeats: so that each of them stands for all before it.
struct BatchTag: Sendable, Hashable {
  static let byteCount = 16

  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// The value before the first batch of a file: zeros.
  init() {}

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    low = bytes.loadLittleEndian(offset, as: UInt64.self)
    high = bytes.loadLittleEndian(offset + 8, as: UInt64.self)
  }

  func put(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    bytes.storeLittleEndian(low, at: offset)
    bytes.storeLittleEndian(high, at: offset + 8)
  }
}

/// How a batch is sealed, in the memory that it is in: `docs/formats/flat-file.md`.
///
/// Behind its header a sealed batch has the tag of the batch before it, a nonce and its own tag; these and what is sealed
/// are its content, of which the header has the length and the checksum.
enum BatchSeal {
  /// Bytes between the header and what is sealed.
  static let byteCount = BatchTag.byteCount + StoreCipherFormat.trailerBytes
  private static let previous = FlatFileFormat.batchHeaderBytes
  private static let trailer = previous + BatchTag.byteCount
  private static let tag = trailer + StoreCipherFormat.nonceBytes
  private static let content = FlatFileFormat.batchHeaderBytes + byteCount
  /// The header's two checksums, which are zeros in what is bound to the batch: they are of what it became.
  private static let checksums = 40..<48

  /// Seals a batch.
  ///
  /// - Parameters:
  ///   - header: Gets the length, the flag and the checksum of what is sealed.
  ///   - batch: All of it, with the plain content in its place. It is what goes to the file afterwards.
  ///   - last: The tag of the batch before it.
  /// - Returns: The tag of this one.
  /// - Throws: `limitExceeded` for more than two gigabytes, `io`.
  static func seal(
    _ header: inout BatchHeader, in batch: UnsafeMutableRawBufferPointer, _ cipher: any StoreCipher,
    after last: BatchTag
  ) throws(StorageError) -> BatchTag {
    header.flags |= FlatFileFormat.sealed
    header.length = batch.count - FlatFileFormat.batchHeaderBytes
    header.encode(into: batch)
    last.put(into: batch, at: previous)
    let plain = UnsafeMutableRawBufferPointer(rebasing: batch[content...])
    try cipher.seal(
      UnsafeRawBufferPointer(plain), associated(batch), into: plain,
      trailer: UnsafeMutableRawBufferPointer(rebasing: batch[trailer..<content]))
    header.contentChecksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: batch[previous...]))
    header.encode(into: batch)
    return BatchTag(UnsafeRawBufferPointer(batch), at: tag)
  }

  /// Opens a batch whose checksums are right.
  ///
  /// - Parameter batch: All of it. Its memory holds the plain content afterwards, and no batch any more.
  /// - Returns: Nil when it was not sealed with this key, or something of it is not as it was.
  /// - Throws: `io`.
  static func open(
    _ batch: UnsafeMutableRawBufferPointer, _ cipher: any StoreCipher
  ) throws(StorageError) -> (content: UnsafeRawBufferPointer, previous: BatchTag, tag: BatchTag)? {
    guard batch.count >= content else { return nil }
    let sealed = UnsafeMutableRawBufferPointer(rebasing: batch[content...])
    let isAuthentic = try cipher.open(
      UnsafeRawBufferPointer(sealed), associated(batch),
      trailer: UnsafeRawBufferPointer(rebasing: batch[trailer..<content]), into: sealed)
    guard isAuthentic else { return nil }
    let bytes = UnsafeRawBufferPointer(batch)
    return (UnsafeRawBufferPointer(sealed), BatchTag(bytes, at: previous), BatchTag(bytes, at: tag))
  }

  /// The data that a batch is bound to: its header without the checksums, and the tag of the batch before it.
  private static func associated(_ batch: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    for place in checksums { batch[place] = 0 }
    return UnsafeRawBufferPointer(rebasing: batch[..<trailer])
  }
}
