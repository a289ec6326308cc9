import QuarryBackend

/// Stands in place of a key where pages have checksums and are not encrypted: `docs/formats/sealed-pages.md`.
struct ChecksumKey: DataKey {
  func cipher(for purpose: String, salt: [UInt8]) -> any StoreCipher { PageChecksums() }
}

/// Leaves the content as it is, and gives it a checksum in place of a seal: damage is detected, but not an attacker who changes a
/// page and its checksums.
///
/// The trailer is twelve zeros, the XXH64 of the associated data and of the content's XXH64, and the content's XXH64.
final class PageChecksums: StoreCipher {
  /// Bytes of the longest associated data.
  private static let longest = 24

  func seal(
    _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer,
    trailer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) {
    guard trailer.count == StoreCipherFormat.trailerBytes, sealed.count == content.count else {
      throw StorageError(.io, "a page of \(content.count) bytes cannot have a checksum")
    }
    let sums = Self.sums(content, associated)
    if let from = content.baseAddress, let target = sealed.baseAddress, target != from {
      target.copyMemory(from: from, byteCount: content.count)
    }
    trailer.initializeMemory(as: UInt8.self, repeating: 0)
    trailer.storeBytes(of: sums.bound.littleEndian, toByteOffset: StoreCipherFormat.nonceBytes, as: UInt64.self)
    trailer.storeBytes(of: sums.content.littleEndian, toByteOffset: StoreCipherFormat.nonceBytes + 8, as: UInt64.self)
  }

  func open(
    _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
    into content: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool {
    guard trailer.count == StoreCipherFormat.trailerBytes, content.count == sealed.count else { return false }
    let sums = Self.sums(sealed, associated)
    guard trailer.prefix(StoreCipherFormat.nonceBytes).allSatisfy({ $0 == 0 }),
      trailer.loadLittleEndian(StoreCipherFormat.nonceBytes, as: UInt64.self) == sums.bound,
      trailer.loadLittleEndian(StoreCipherFormat.nonceBytes + 8, as: UInt64.self) == sums.content
    else { return false }
    if let from = sealed.baseAddress, let target = content.baseAddress, target != from {
      target.copyMemory(from: from, byteCount: sealed.count)
    }
    return true
  }

  /// The checksum of the content, and the checksum of it bound to the associated data.
  private static func sums(
    _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer
  ) -> (content: UInt64, bound: UInt64) {
    let sum = XXH64.checksum(content)
    let count = min(associated.count, longest)
    let bound = withUnsafeTemporaryAllocation(byteCount: longest + 8, alignment: 8) { room in
      if let from = associated.baseAddress, let start = room.baseAddress {
        start.copyMemory(from: from, byteCount: count)
      }
      room.storeBytes(of: sum.littleEndian, toByteOffset: count, as: UInt64.self)
      return XXH64.checksum(UnsafeRawBufferPointer(rebasing: room[..<(count + 8)]))
    }
    return (sum, bound)
  }
}
