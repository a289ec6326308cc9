import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How keys stand in LMDB, which takes no empty key.
///
/// A key of nothing but zero bytes, the empty one among them, has one zero byte more. This keeps keys apart and their
/// order: keys of zeros are ordered by their length, and every key with another byte in it comes after all of them,
/// because at its first other byte a key of zeros has a zero or has ended.
enum LMDBKey {
  /// Whether the key is stored with one zero byte more.
  ///
  /// One check of the first byte for nearly all keys.
  @inline(__always)
  static func isLengthened(_ key: UnsafeRawBufferPointer) -> Bool {
    guard let first = key.first else { return true }
    return first == 0 && isZeros(key)
  }

  @inline(never)
  private static func isZeros(_ key: UnsafeRawBufferPointer) -> Bool {
    key.allSatisfy { $0 == 0 }
  }

  /// The key of bytes as they stand.
  @inline(__always)
  static func original(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    isLengthened(stored) && !stored.isEmpty ? UnsafeRawBufferPointer(rebasing: stored.dropLast()) : stored
  }

  /// Calls the body with a key as it stands.
  @inline(__always)
  static func withStored<R>(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    if !isLengthened(key) { return try body(key) }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + 1, alignment: 1)
    defer { copy.deallocate() }
    copy.initializeMemory(as: UInt8.self, repeating: 0)
    return try body(UnsafeRawBufferPointer(copy))
  }

  /// A key of the given number of zero bytes, as stored.
  static func lengthened(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count + 1) }

  /// The bytes of a bound as they stand.
  static func stored(_ key: [UInt8]) -> [UInt8] {
    key.allSatisfy { $0 == 0 } ? lengthened(key.count) : key
  }

  @inline(__always)
  static func isLess(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let shared = min(left.count, right.count)
    if shared > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
      let order = memcmp(leftStart, rightStart, shared)
      if order != 0 { return order < 0 }
    }
    return left.count < right.count
  }
}
