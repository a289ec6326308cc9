/// SipHash-2-4 (Aumasson and Bernstein, 2012), with 64 bits and with 128: the hash in the entries of long keys, where it is a
/// part of the format and never changes, and of the rows whose sums compare two stores.
package struct SipHash {
  private var v0: UInt64 = 0x736f_6d65_7073_6575
  private var v1: UInt64 = 0x646f_7261_6e64_6f6d
  private var v2: UInt64 = 0x6c79_6765_6e65_7261
  private var v3: UInt64 = 0x7465_6462_7974_6573

  /// The hash of the bytes.
  ///
  /// - Parameter key: The two halves of the key, each as a little-endian number; zeros outside of tests.
  package static func hash(_ bytes: UnsafeRawBufferPointer, key: (UInt64, UInt64) = (0, 0)) -> UInt64 {
    var state = SipHash(key)
    state.add(bytes)
    return state.finish(0xFF)
  }

  /// The hash of the bytes in 128 bits, its first half as the low one.
  ///
  /// - Parameter key: As for 64 bits.
  package static func wideHash(_ bytes: UnsafeRawBufferPointer, key: (UInt64, UInt64) = (0, 0)) -> UInt128 {
    var state = SipHash(key)
    state.v1 ^= 0xEE
    state.add(bytes)
    let low = state.finish(0xEE)
    state.v1 ^= 0xDD
    for _ in 0..<4 { state.round() }
    return UInt128(state.v0 ^ state.v1 ^ state.v2 ^ state.v3) << 64 | UInt128(low)
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for (place, byte) in bytes[offset...].enumerated() { last |= UInt64(byte) << UInt64(8 * place) }
    add(last)
  }

  private init(_ key: (UInt64, UInt64)) {
    v0 ^= key.0
    v1 ^= key.1
    v2 ^= key.0
    v3 ^= key.1
  }

  private mutating func add(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func finish(_ mark: UInt64) -> UInt64 {
    v2 ^= mark
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    v0 &+= v1
    v1 = Self.rotate(v1, 13) ^ v0
    v0 = Self.rotate(v0, 32)
    v2 &+= v3
    v3 = Self.rotate(v3, 16) ^ v2
    v0 &+= v3
    v3 = Self.rotate(v3, 21) ^ v0
    v2 &+= v1
    v1 = Self.rotate(v1, 17) ^ v2
    v2 = Self.rotate(v2, 32)
  }

  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word << bits | word >> (64 - bits)
  }
}
