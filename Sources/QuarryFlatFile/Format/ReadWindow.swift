import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A part of a file in memory that follows what is asked for.
///
/// Lent bytes are valid until the next call. The memory is freed in `deinit` and replaced only in ``bytes(at:count:)``; lent
/// bytes lie inside the part that the file filled.
final class ReadWindow {
  private let file: any StoreFile
  private let size: Int
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var start = 0
  private var filled = 0
  /// Bytes before it were taken, and are no longer what the file has.
  private var floor = 0

  /// - Parameter size: How many bytes are read at once, if no more are asked for.
  init(_ file: any StoreFile, size: Int = 1 << 20) {
    self.file = file
    self.size = size
  }

  deinit {
    free(base)
  }

  /// Where the file has bytes next, from the offset on; nil when nothing but a hole follows.
  func nextData(from offset: Int) -> Int? { file.nextData(from: offset) }

  /// Forgets what was read, so that it is read again.
  func forget() {
    filled = 0
  }

  /// Lends the given number of bytes of the file for changing, or as many as are there before `end`.
  ///
  /// A later request for them reads them again.
  ///
  /// - Throws: As ``bytes(at:count:end:)``.
  func take(at offset: Int, count: Int, end: Int) throws(StorageError) -> UnsafeMutableRawBufferPointer {
    let bytes = try bytes(at: offset, count: count, end: end)
    guard let base, !bytes.isEmpty else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    floor = offset + bytes.count
    return UnsafeMutableRawBufferPointer(start: base + (offset - start), count: bytes.count)
  }

  /// Lends the given number of bytes of the file, or as many as are there before `end`.
  ///
  /// - Throws: `io`; `full` when there is not enough memory.
  func bytes(at offset: Int, count: Int, end: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    let wanted = max(0, min(count, end - offset))
    if offset < max(start, floor) || offset + wanted > start + filled || filled == 0 {
      try fill(offset, wanted: wanted, end: end)
    }
    let available = max(0, min(wanted, start + filled - offset))
    guard let base, available > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: base + (offset - start), count: available)
  }

  private func fill(_ offset: Int, wanted: Int, end: Int) throws(StorageError) {
    filled = 0
    floor = 0
    start = offset
    let count = max(wanted, min(size, max(0, end - offset)))
    if count > capacity {
      guard let new = realloc(base, count) else {
        throw .noMemory(for: "\(count) bytes of the file")
      }
      base = new
      capacity = count
    }
    filled = try file.read(into: UnsafeMutableRawBufferPointer(start: base, count: count), at: offset)
  }
}
