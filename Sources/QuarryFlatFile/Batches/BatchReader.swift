import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds the batches of a file.
struct BatchReader {
  enum Found {
    case batch(Batch)
    /// Nothing is left.
    case end
    /// The bytes there are no whole batch of this file.
    case damage(String)
  }

  /// A whole batch. The memory that it points to is valid until the next call.
  struct Batch {
    var header: BatchHeader
    /// In the clear.
    var content: UnsafeRawBufferPointer
    /// All of a sealed batch, in memory that may be changed, with the content in the clear; else nothing.
    var whole = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Of a sealed batch: the tag of the batch that it follows, and its own.
    var previous = BatchTag()
    var tag = BatchTag()
  }

  private let window: ReadWindow
  /// The cipher of batches; nil for a plain file.
  private let cipher: (any StoreCipher)?
  /// Nil where it is not known: every file's batches are taken.
  var tag: UInt64?
  /// Nothing behind it is checked.
  let end: Int

  init(_ file: any StoreFile, tag: UInt64?, _ cipher: (any StoreCipher)?, end: Int) {
    window = ReadWindow(file)
    self.cipher = cipher
    self.tag = tag
    self.end = end
  }

  /// Makes the next call read from the file again.
  func forget() {
    window.forget()
  }

  /// The batch at the offset.
  ///
  /// - Parameter last: The tag of the batch that it has to follow, where it is sealed; nil for any.
  func read(at offset: Int, after last: BatchTag?) throws(StorageError) -> Found {
    let found = try find(at: offset)
    guard let cipher, case .batch(let batch) = found else { return found }
    let whole = try window.take(at: offset, count: batch.header.byteCount, end: end)
    guard let opened = try BatchSeal.open(whole, cipher) else {
      return .damage("the batch of commit \(batch.header.commit) is not what its writer sealed")
    }
    if let last, opened.previous != last {
      return .damage("the batch of commit \(batch.header.commit) does not follow the one before it")
    }
    return .batch(
      Batch(
        header: batch.header, content: opened.content, whole: whole, previous: opened.previous, tag: opened.tag))
  }

  /// A whole batch by its checksums, which need no key; the content may be sealed.
  private func find(at offset: Int) throws(StorageError) -> Found {
    if offset >= end { return .end }
    let size = FlatFileFormat.batchHeaderBytes
    let bytes = try window.bytes(at: offset, count: size, end: end)
    if bytes.count < size { return .damage("the file ends inside the header of a batch") }
    guard let header = BatchHeader(bytes) else { return .damage("there is no batch with a valid header") }
    if let tag, header.tag != tag { return .damage("the batch belongs to another file") }
    if header.isSealed != (cipher != nil) { return .damage("the batch is not sealed like the file") }
    if header.length > end - offset - size { return .damage("the file ends inside a batch") }
    if header.length > FlatFileFormat.longestBatch { return .damage("the batch is longer than any that is written") }
    let content = try window.bytes(at: offset + size, count: header.length, end: end)
    if content.count < header.length { return .damage("the file ends inside a batch") }
    guard CRC32C.checksum(content) == header.contentChecksum else {
      return .damage("the checksum of the batch of commit \(header.commit) is wrong")
    }
    return .batch(Batch(header: header, content: content))
  }

  /// Whether what is there could be the beginning of a batch whose rest was not written: what the end of a process may
  /// leave, and damage of something whole only where the end is gone, too.
  func isBeginning(at offset: Int) throws(StorageError) -> Bool {
    let size = FlatFileFormat.batchHeaderBytes
    let bytes = try window.bytes(at: offset, count: size, end: end)
    if bytes.count == size, let header = BatchHeader(bytes) {
      return (tag == nil || header.tag == tag) && header.length > end - offset - size
    }
    if bytes.count == size || bytes.isEmpty { return false }
    var expected = [UInt8](repeating: 0, count: 16)
    let tagBytes = tag
    expected.withUnsafeMutableBytes { expected in
      expected.storeLittleEndian(FlatFileFormat.batchMagic, at: 0)
      if cipher != nil { expected.storeLittleEndian(FlatFileFormat.sealed, at: 4) }
      if let tagBytes { expected.storeLittleEndian(tagBytes, at: 8) }
    }
    // The flags of a batch are zeros, except for the flags of sealed batches, and of parts of a snapshot, which no crash tears.
    return bytes.prefix(tag == nil ? 8 : 16).elementsEqual(expected.prefix(min(bytes.count, tag == nil ? 8 : 16)))
  }

  /// The first whole batch from the offset on that the condition takes.
  ///
  /// - Complexity: Each byte is read once or twice, whatever the bytes are. Content that a valid header describes is not searched
  ///   for other headers, so no file makes the search quadratic.
  func search(from offset: Int, where condition: (BatchHeader) -> Bool) throws(StorageError) -> (
    offset: Int, header: BatchHeader
  )? {
    let size = FlatFileFormat.batchHeaderBytes
    var offset = offset
    while offset + size <= end {
      let bytes = try window.bytes(at: offset, count: 1 << 16, end: end)
      guard bytes.count >= size, let place = Self.placeOfMagic(bytes) else {
        // The last bytes may be the beginning of a header. A header is not in a hole, which has no byte but zeros.
        guard let next = window.nextData(from: offset + max(1, bytes.count - size + 1)) else { return nil }
        offset = next
        continue
      }
      offset += place
      let start = try window.bytes(at: offset, count: size, end: end)
      guard start.count == size else { return nil }
      guard let header = BatchHeader(start), tag == nil || header.tag == tag, header.length <= end - offset - size
      else {
        offset += 1
        continue
      }
      if case .batch = try find(at: offset), condition(header) { return (offset, header) }
      offset += size + header.length
    }
    return nil
  }

  /// Where the first magic of a batch is that has room for all its four bytes.
  private static func placeOfMagic(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var place = 0
    while place + 4 <= bytes.count {
      guard let found = memchr(base + place, 0x51, bytes.count - 3 - place) else { return nil }
      place = UnsafeRawPointer(found) - base
      if bytes.loadLittleEndian(place, as: UInt32.self) == FlatFileFormat.batchMagic { return place }
      place += 1
    }
    return nil
  }
}
