#if canImport(Darwin)
  public import Darwin
#else
  public import Glibc
#endif

/// A key in the key format: bytes whose order is the order of the values. See `docs/formats/key.md`.
public struct Key: Sendable, Hashable, Comparable {
  /// The bytes in the key format.
  public let bytes: [UInt8]

  /// A key of these bytes, which are not checked.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// A copy of lent bytes, which are not checked.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.bytes = Array(bytes)
  }

  // By all bytes at once: the compiler's own would go through them one by one.
  public static func == (left: Key, right: Key) -> Bool {
    left.bytes.withUnsafeBytes { a in right.bytes.withUnsafeBytes { b in a.count == b.count && a.compare(b) == 0 } }
  }

  public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

  public static func < (left: Key, right: Key) -> Bool {
    left.bytes.withUnsafeBytes { a in right.bytes.withUnsafeBytes { b in a.precedes(b) } }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these bytes come before the others.
  @inlinable
  package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    compare(other) < 0
  }

  /// Negative, zero or positive as these bytes come before, are equal to, or come after the others; a prefix first.
  @inlinable
  package func compare(_ other: UnsafeRawBufferPointer) -> Int {
    let shared = Swift.min(count, other.count)
    if shared > 0, let a = baseAddress, let b = other.baseAddress {
      let order = memcmp(a, b, shared)
      if order != 0 { return Int(order) }
    }
    return count &- other.count
  }
}
