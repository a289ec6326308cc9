import QuarryBackend

/// Random nonces, fetched from the system in groups, because a call costs more than sealing a short piece.
///
/// They are discarded in a child process, which has the same ones.
struct NoncePool {
  private static let byteCount = 21 * StoreCipherFormat.nonceBytes
  private var bytes = [UInt8](repeating: 0, count: Self.byteCount)
  private var used = Self.byteCount
  /// The process whose bytes they are.
  var owner: UInt64 = 0

  /// Puts a nonce at the beginning of the trailer.
  @inline(__always)
  mutating func next(into trailer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    if used >= Self.byteCount || owner != ForkMark.current { try refill() }
    bytes.withUnsafeBytes { bytes in
      trailer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<used + StoreCipherFormat.nonceBytes]))
    }
    used += StoreCipherFormat.nonceBytes
  }

  @inline(never)
  private mutating func refill() throws(StorageError) {
    owner = ForkMark.current
    try bytes.withMutableBytes { bytes throws(StorageError) in try SystemRandom.fill(bytes) }
    used = 0
  }
}
