import QuarryBackend

/// Byte strings one after the other in one piece of memory: the keys that a statement fixes before it writes, and the
/// index entries that it will add. One allocation serves thousands of them.
///
/// The only unsafe thing here is the lifetime of what the subscript lends: the memory is freed in `deinit` and moves in
/// `append`, so that lent bytes are valid until the next `append` and as long as the arena lives.
final class ByteArena {
  @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private var used = 0
  /// The ends of the byte strings, and of some that were removed.
  @exclusivity(unchecked) private var ends: [Int] = []
  /// The number of byte strings.
  @exclusivity(unchecked) private(set) var count = 0

  init(capacity: Int = 1024) {
    self.capacity = max(16, capacity)
    base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  /// Bytes of all byte strings together.
  var byteCount: Int { used }
  /// Bytes of the memory, whether used or not.
  var memoryBytes: Int { capacity + ends.capacity * MemoryLayout<Int>.stride }

  /// The byte string at that place.
  subscript(index: Int) -> UnsafeRawBufferPointer {
    let start = index == 0 ? 0 : ends[index - 1]
    return UnsafeRawBufferPointer(start: base + start, count: ends[index] - start)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if used + bytes.count > capacity { grow(used + bytes.count) }
    if let source = bytes.baseAddress, bytes.count > 0 {
      (base + used).copyMemory(from: source, byteCount: bytes.count)
    }
    used += bytes.count
    if count < ends.count { ends[count] = used } else { ends.append(used) }
    count += 1
  }

  func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Removes all byte strings and keeps the memory.
  func removeAll() {
    used = 0
    count = 0
  }

  /// The places of the byte strings in the order of their bytes; equal ones in the order in which they were added.
  func sortedPlaces() -> [Int] {
    (0..<count).sorted { left, right in
      let order = self[left].compare(self[right])
      return order == 0 ? left < right : order < 0
    }
  }

  private func grow(_ needed: Int) {
    let larger = max(needed, capacity * 2)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    new.copyMemory(from: base, byteCount: used)
    base.deallocate()
    base = new
    capacity = larger
  }
}
