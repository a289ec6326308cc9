import QuarryBackend
import QuarryKeyValue
import QuarryTree

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Records the changes of one transaction as the content of a batch, with room before it for the header and the seal.
///
/// It is one growing piece of memory that is written to the file as it is.
///
/// The unsafe part is the buffer: every write to it first makes room for all that it writes, `count` never passes
/// `capacity`, and what is lent is valid only inside the body. A writer is used by one thread at a time.
final class BatchWriter: TreeRecorder {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// Where the content begins.
  private let beginning: Int
  private var count: Int
  /// The tree that the next operation is in, unless it says another.
  private var tree: TreeID?
  /// Whether something could not be taken down for want of memory; the batch is then worth nothing.
  private(set) var isOutOfMemory = false

  /// The path by which the transaction's opening knows the store; nil where nothing is compared with it.
  let path: String?

  init(isSealed: Bool = false, path: String? = nil) {
    self.path = path
    beginning = FlatFileFormat.batchHeaderBytes + (isSealed ? BatchSeal.byteCount : 0)
    count = beginning
  }

  deinit {
    free(base)
  }

  /// Bytes of the batch.
  var byteCount: Int { count }

  // MARK: Recording

  func put(_ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let (bytes, overflows) = key.count.addingReportingOverflow(value.count)
    if overflows || !makeRoom(bytes) { return isOutOfMemory = true }
    select(tree)
    append(FlatFileFormat.Operation.put)
    append(number: UInt64(key.count))
    append(number: UInt64(value.count))
    append(key)
    append(value)
  }

  func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) {
    if !makeRoom(key.count) { return isOutOfMemory = true }
    select(tree)
    append(FlatFileFormat.Operation.delete)
    append(number: UInt64(key.count))
    append(key)
  }

  func delete(_ tree: TreeID, in range: KeyRange) {
    let (bytes, overflows) = (range.lower?.count ?? 0).addingReportingOverflow(range.upper?.count ?? 0)
    if overflows || !makeRoom(bytes) { return isOutOfMemory = true }
    select(tree)
    append(FlatFileFormat.Operation.deleteRange)
    append((range.lower == nil ? 0 : 1) | (range.upper == nil ? 0 : 2))
    for bound in [range.lower, range.upper] {
      guard let bound else { continue }
      append(number: UInt64(bound.count))
      bound.withUnsafeBytes { append($0) }
    }
  }

  var mark: Int { count }

  func rollBack(to mark: Int) {
    if mark >= count { return }
    count = mark
    // The operation that selected the tree may be gone.
    tree = nil
  }

  /// Empties the writer for another batch and keeps the memory.
  func reset() {
    count = beginning
    tree = nil
    isOutOfMemory = false
  }

  // MARK: The batch

  /// The checksum of the content.
  func contentChecksum() -> UInt32 {
    guard let base else { return CRC32C.checksum(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let header = FlatFileFormat.batchHeaderBytes
    return CRC32C.checksum(UnsafeRawBufferPointer(start: base + header, count: count - header))
  }

  /// Lends the whole batch.
  ///
  /// - Throws: `full` when something could not be taken down.
  func withBatch<Result>(
    flags: UInt32 = 0, tag: UInt64, commit: UInt64, synced: UInt64, contentChecksum: UInt32,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let bytes = try batch()
    BatchHeader(
      flags: flags, tag: tag, commit: commit, synced: synced, length: count - FlatFileFormat.batchHeaderBytes,
      contentChecksum: contentChecksum
    ).encode(into: bytes)
    return try body(UnsafeRawBufferPointer(bytes))
  }

  /// Seals the whole batch in its memory. Nothing can be taken down after that before ``reset()``.
  ///
  /// - Parameters:
  ///   - header: The content of the header besides its length and its checksum.
  ///   - last: The tag of the batch before it.
  /// - Returns: The tag of this one.
  /// - Throws: `full` when something could not be taken down; `limitExceeded` for more than two gigabytes; `io`.
  func seal(_ header: BatchHeader, _ cipher: any StoreCipher, after last: BatchTag) throws(StorageError) -> BatchTag {
    var header = header
    return try BatchSeal.seal(&header, in: batch(), cipher, after: last)
  }

  /// Lends the whole batch as it was sealed.
  func withSealedBatch<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try body(UnsafeRawBufferPointer(batch()))
  }

  private func batch() throws(StorageError) -> UnsafeMutableRawBufferPointer {
    guard makeRoom(0), !isOutOfMemory, let base else {
      throw .noMemory(for: "the changes of the transaction")
    }
    return UnsafeMutableRawBufferPointer(start: base, count: count)
  }

  // MARK: Bytes

  /// Makes room for an operation with the given number of bytes besides its numbers, of which there are three at most.
  @inline(__always)
  private func makeRoom(_ bytes: Int) -> Bool {
    bytes <= capacity - count - 64 || grow(bytes)
  }

  private func grow(_ bytes: Int) -> Bool {
    guard bytes < Int.max / 4, count < Int.max / 4 else { return false }
    let larger = max(4096, count + bytes + 64, capacity + capacity / 2)
    guard let new = realloc(base, larger) else { return false }
    base = new
    capacity = larger
    return true
  }

  @inline(__always)
  private func append(_ byte: UInt8) {
    base?.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// LEB128: seven bits a byte, the lowest first.
  @inline(__always)
  private func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  private func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, let base else { return }
    memcpy(base + count, start, bytes.count)
    count &+= bytes.count
  }

  @inline(__always)
  private func select(_ tree: TreeID) {
    if self.tree == tree { return }
    self.tree = tree
    append(FlatFileFormat.Operation.tree)
    append(number: UInt64(tree))
  }
}
