import QuarryBackend
import Testing

/// Known answers: the test vectors of the authors' own program, and those of their paper.
@Suite struct SipHashTests {
  private static let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)

  private static func bytes(_ length: Int) -> [UInt8] { (0..<length).map { UInt8($0) } }

  @Test(arguments: [(0, 0x726f_db47_dd0e_0e31), (15, 0xa129_ca61_49be_45e5)] as [(Int, UInt64)])
  func of64Bits(_ length: Int, _ expected: UInt64) {
    #expect(Self.bytes(length).withUnsafeBytes { SipHash.hash($0, key: Self.key) } == expected)
  }

  @Test func of128Bits() {
    // The bytes a3817f04ba25a8e6 6df67214c7550293.
    let expected = UInt128(0x9302_55c7_1472_f66d) << 64 | UInt128(0xe6a8_25ba_047f_81a3)
    #expect(Self.bytes(0).withUnsafeBytes { SipHash.wideHash($0, key: Self.key) } == expected)
  }

  @Test func everyBitCounts() {
    var seen: Set<UInt128> = []
    for length in 0..<40 {
      var bytes = Self.bytes(length)
      seen.insert(bytes.withUnsafeBytes { SipHash.wideHash($0) })
      for bit in 0..<(8 * length) {
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        seen.insert(bytes.withUnsafeBytes { SipHash.wideHash($0) })
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      }
    }
    // One for each length, and one for each bit that was changed.
    #expect(seen.count == 40 + 8 * (0..<40).reduce(0, +))
  }
}
