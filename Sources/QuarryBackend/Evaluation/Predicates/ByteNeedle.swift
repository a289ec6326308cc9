#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Bytes to look for in other bytes.
///
/// The memory is this object's own, is never changed after init and is freed in deinit. Every load below is inside the haystack
/// or the needle, by the bound written next to it.
final class ByteNeedle {
  let bytes: UnsafeRawBufferPointer
  private let memory: UnsafeMutableRawPointer
  /// For each place in a long needle, the length of the longest border before it: bounds the search by O(n).
  private let borders: [Int32]

  private static let longNeedle = 64

  convenience init(_ string: String) {
    self.init(Array(string.utf8))
  }

  init(_ utf8: [UInt8]) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, utf8.count), alignment: 8)
    utf8.withUnsafeBytes { source in
      if let base = source.baseAddress { memory.copyMemory(from: base, byteCount: source.count) }
    }
    self.memory = memory
    bytes = UnsafeRawBufferPointer(start: memory, count: utf8.count)
    borders = utf8.count > Self.longNeedle && utf8.count <= Int(Int32.max) ? Self.borders(utf8) : []
  }

  deinit {
    memory.deallocate()
  }

  private static func borders(_ bytes: [UInt8]) -> [Int32] {
    var borders = [Int32](repeating: 0, count: bytes.count)
    var length = 0
    for index in 1..<bytes.count {
      while length > 0, bytes[index] != bytes[length] { length = Int(borders[length - 1]) }
      if bytes[index] == bytes[length] { length += 1 }
      borders[index] = Int32(length)
    }
    return borders
  }

  @inline(__always)
  func equals(_ haystack: UnsafeRawBufferPointer) -> Bool {
    haystack.count == bytes.count && isAt(0, haystack)
  }

  @inline(__always)
  func isPrefix(of haystack: UnsafeRawBufferPointer) -> Bool {
    haystack.count >= bytes.count && isAt(0, haystack)
  }

  @inline(__always)
  func isSuffix(of haystack: UnsafeRawBufferPointer) -> Bool {
    haystack.count >= bytes.count && isAt(haystack.count &- bytes.count, haystack)
  }

  /// Whether the needle is at that place, which must leave room for it.
  @inline(__always)
  private func isAt(_ offset: Int, _ haystack: UnsafeRawBufferPointer) -> Bool {
    guard let base = haystack.baseAddress else { return bytes.count == 0 }
    return memcmp(base + offset, memory, bytes.count) == 0
  }

  /// Whether the needle is somewhere in the haystack.
  ///
  /// - Complexity: O(n) in the haystack's bytes; eight positions are compared together.
  @inline(__always)
  func isContained(in haystack: UnsafeRawBufferPointer) -> Bool {
    let length = bytes.count
    let places = haystack.count &- length &+ 1
    guard places > 0 else { return false }
    guard length > 0, let base = haystack.baseAddress else { return true }
    let lows: UInt64 = 0x0101_0101_0101_0101
    let first = UInt64(memory.load(as: UInt8.self)) &* lows
    let last = UInt64(memory.load(fromByteOffset: length &- 1, as: UInt8.self)) &* lows
    var work = 0
    var place = 0
    // Loads end at place + 8 + length - 1 <= haystack.count.
    while place &+ 8 <= places {
      let heads = base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let tails = base.loadUnaligned(fromByteOffset: place &+ length &- 1, as: UInt64.self)
      // A zero byte where both the first and the last byte of the needle are in place.
      let differences = (UInt64(littleEndian: heads) ^ first) | (UInt64(littleEndian: tails) ^ last)
      var candidates = (differences &- lows) & ~differences & 0x8080_8080_8080_8080
      while candidates != 0 {
        // Above the lowest candidate a borrow may have made a false one, so all bytes are compared.
        if memcmp(base + (place &+ candidates.trailingZeroBitCount &>> 3), memory, length) == 0 { return true }
        candidates &= candidates &- 1
        work &+= 1
      }
      if work > 16, !borders.isEmpty { return isFoundLinearly(base + place, haystack.count &- place) }
      place &+= 8
    }
    while place < places {
      if base.load(fromByteOffset: place, as: UInt8.self) == UInt8(truncatingIfNeeded: first),
        memcmp(base + place, memory, length) == 0
      {
        return true
      }
      place &+= 1
    }
    return false
  }

  /// The search for a long needle in bytes that are much like it.
  @inline(never)
  private func isFoundLinearly(_ base: UnsafeRawPointer, _ count: Int) -> Bool {
    var length = 0
    for index in 0..<count {
      let byte = base.load(fromByteOffset: index, as: UInt8.self)
      while length > 0, byte != bytes[length] { length = Int(borders[length - 1]) }
      if byte == bytes[length] { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }
}
