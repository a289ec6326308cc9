import QuarryBackend

/// The bytes of a compound key while its members are written: in lent memory as long as they fit.
///
/// A value, so that a read by a compound key allocates nothing.
@usableFromInline
struct KeyMemberBytes {
  @usableFromInline var start: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var count = 0
  @usableFromInline var isLent = true

  /// - Parameter room: Memory that is not empty, and that is valid until ``giveBack()``.
  @inlinable
  init(lent room: UnsafeMutableRawBufferPointer) {
    // Never used where there is no room.
    start = room.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 8)!
    capacity = room.count
  }

  /// The bytes so far, valid until the next call.
  @inlinable var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Frees the memory of bytes that the lent memory had no room for.
  @inlinable
  mutating func giveBack() {
    if !isLent { start.deallocate() }
  }

  @inlinable
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if count &+ bytes.count > capacity { grow(count + bytes.count) }
    if let source = bytes.baseAddress { (start + count).copyMemory(from: source, byteCount: bytes.count) }
    count &+= bytes.count
  }

  /// Appends bytes so that their end can be told: as ``KeyWriter`` does it.
  @usableFromInline
  mutating func append(terminated bytes: UnsafeRawBufferPointer) {
    let rest = UnsafeMutableRawBufferPointer(start: start + count, count: capacity - count)
    let writer = KeyWriter(lent: rest)
    defer { writer.giveBack() }
    writer.append(terminated: bytes)
    // The writer has left the lent memory where its bytes do not fit.
    if writer.bytes.count > rest.count { append(writer.bytes) } else { count += writer.bytes.count }
  }

  @usableFromInline
  mutating func grow(_ needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: start, byteCount: count)
    giveBack()
    (start, isLent) = (larger, false)
  }
}
