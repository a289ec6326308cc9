import QuarryBackend

/// The part of a text that is being read, as bytes in one piece of memory: rows and lines are read in place.
///
/// The unsafe part is the memory: what is lent lies between ``start`` and ``end``, which never pass the capacity, and is
/// valid until the next ``more()`` and as long as the buffer lives. One byte behind the end can be read too, and is
/// ``sentinel``, so that a search for that byte needs no other bound.
final class TextBuffer {
  /// The byte behind the end.
  static let sentinel = UInt8(ascii: "\"")

  @exclusivity(unchecked) private(set) var base: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var capacity: Int
  /// The first byte that is still needed.
  @exclusivity(unchecked) var start = 0
  /// Behind the last byte that was read.
  @exclusivity(unchecked) private(set) var end = 0
  private let decoder: TextDecoder

  init(_ decoder: TextDecoder) {
    self.decoder = decoder
    capacity = max(4, decoder.source.chunkSize)
    base = .allocate(capacity: capacity + 1)
    base[0] = Self.sentinel
  }

  deinit {
    base.deallocate()
  }

  var source: ByteSource { decoder.source }

  /// Bytes that are needed.
  var count: Int { end - start }

  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Drops the consumed bytes and reads more behind the rest. Places change by the old value of ``start``.
  ///
  /// - Returns: Whether there was more.
  func more() throws(StorageError) -> Bool {
    let kept = count
    if capacity - kept < 4 || kept > capacity / 2 {
      // So that a row or line of any length is scanned again a few times and not once for each chunk.
      let larger = capacity * 2
      let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + 1)
      new.update(from: base + start, count: kept)
      base.deallocate()
      base = new
      capacity = larger
    } else if start > 0 {
      base.update(from: base + start, count: kept)
    }
    start = 0
    end = kept
    let count = try decoder.read(into: UnsafeMutableRawBufferPointer(start: base + kept, count: capacity - kept))
    end += count
    base[end] = Self.sentinel
    return count > 0
  }
}
