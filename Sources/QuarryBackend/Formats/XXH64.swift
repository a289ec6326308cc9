/// XXH64 of bytes, with the seed 0 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md): four lanes of eight bytes, which a
/// processor multiplies at once, where a CRC by tables looks up every byte.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  @inline(__always)
  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merged(_ sum: UInt64, _ lane: UInt64) -> UInt64 {
    (sum ^ round(0, lane)) &* prime1 &+ prime4
  }

  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard var place = bytes.baseAddress else { return finished(prime5) }
    let end = place + bytes.count
    var sum: UInt64
    if bytes.count >= 32 {
      var (a, b, c, d) = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
      while end - place >= 32 {
        a = round(a, word(place))
        b = round(b, word(place + 8))
        c = round(c, word(place + 16))
        d = round(d, word(place + 24))
        place += 32
      }
      sum = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
      sum = merged(merged(merged(merged(sum, a), b), c), d)
    } else {
      sum = prime5
    }
    sum = sum &+ UInt64(bytes.count)
    while end - place >= 8 {
      sum = rotated(sum ^ round(0, word(place)), 27) &* prime1 &+ prime4
      place += 8
    }
    if end - place >= 4 {
      let half = UInt64(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
      sum = rotated(sum ^ half &* prime1, 23) &* prime2 &+ prime3
      place += 4
    }
    while place < end {
      sum = rotated(sum ^ UInt64(place.load(as: UInt8.self)) &* prime5, 11) &* prime1
      place += 1
    }
    return finished(sum)
  }

  @inline(__always)
  private static func word(_ place: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
  }

  private static func finished(_ sum: UInt64) -> UInt64 {
    var sum = sum
    sum ^= sum &>> 33
    sum = sum &* prime2
    sum ^= sum &>> 29
    sum = sum &* prime3
    sum ^= sum &>> 32
    return sum
  }
}
