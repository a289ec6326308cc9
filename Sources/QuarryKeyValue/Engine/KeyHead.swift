public import QuarryBackend

/// The numbers that trees of ordered keys compare in place of keys, and the rest of a key after a common beginning.
extension UnsafeRawBufferPointer {
  /// Eight bytes of the key after the first `skip`, as a number whose order is theirs; zeros where the key ends.
  @inlinable @inline(__always)
  package func keyHead(skip: Int) -> UInt64 {
    let rest = count &- skip
    guard let start = baseAddress, rest > 0 else { return 0 }
    if rest >= 8 { return UInt64(bigEndian: (start + skip).loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for index in 0..<rest {
      head |= UInt64(start.load(fromByteOffset: skip &+ index, as: UInt8.self)) &<< (56 &- 8 &* index)
    }
    return head
  }

  /// The order of the key and the first `skip` bytes of another one, which has as many.
  @inlinable @inline(__always)
  package func compare(toStartOf other: UnsafeRawBufferPointer, skip: Int) -> Int {
    if skip == 8, count >= 8 { return order(of: 0, to: other) }
    return UnsafeRawBufferPointer(start: baseAddress, count: Swift.min(count, skip))
      .compare(UnsafeRawBufferPointer(start: other.baseAddress, count: skip))
  }

  /// The order of two keys that have the same head after the first `skip` bytes, which are the same too.
  @inlinable @inline(__always)
  package func compareTail(_ other: UnsafeRawBufferPointer, skip: Int) -> Int {
    // Where one of them ends within the head, what they share is equal, and the shorter one comes first.
    let from = skip &+ 8
    guard Swift.min(count, other.count) > from, let a = baseAddress, let b = other.baseAddress else {
      return count &- other.count
    }
    // Two integers, or a UUID.
    if count == from &+ 8, other.count == count { return order(of: from, to: other) }
    return UnsafeRawBufferPointer(start: a + from, count: count &- from)
      .compare(UnsafeRawBufferPointer(start: b + from, count: other.count &- from))
  }

  /// The order of eight bytes of two keys that have them.
  @inlinable @inline(__always)
  package func order(of place: Int, to other: UnsafeRawBufferPointer) -> Int {
    let a = UInt64(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self))
    let b = UInt64(bigEndian: other.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    return a == b ? 0 : a < b ? -1 : 1
  }

  /// How many leading bytes the two keys have in common.
  @inlinable
  package func commonPrefix(with other: UnsafeRawBufferPointer) -> Int {
    let shared = Swift.min(count, other.count)
    guard shared > 0, let a = baseAddress, let b = other.baseAddress else { return 0 }
    var index = 0
    while index &+ 8 <= shared {
      let difference = (a + index).loadUnaligned(as: UInt64.self) ^ (b + index).loadUnaligned(as: UInt64.self)
      if difference != 0 { return index + UInt64(littleEndian: difference).trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < shared, (a + index).load(as: UInt8.self) == (b + index).load(as: UInt8.self) { index &+= 1 }
    return index
  }
}
