import QuarryBackend

/// The digest of all objects of a model, in any order of reading: their number, and the sum of the hashes of their rows
/// (``RowProjection``).
struct ModelDigest: Hashable {
  private(set) var count = 0
  private(set) var sum: UInt128 = 0

  mutating func add(_ row: UnsafeRawBufferPointer) {
    count += 1
    sum &+= SipHash.wideHash(row)
  }

  /// The sum in 32 hexadecimal digits.
  var text: String {
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
  }
}
