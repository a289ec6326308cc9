/// Frames that are damaged on purpose.
enum Frames {
  /// Changes a few bytes, removes some or doubles some.
  static func damage(_ bytes: inout [UInt8], _ random: inout Seeded) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard !bytes.isEmpty else { return }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...16, using: &random)))
      case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 24)], at: place)
      default: bytes.removeSubrange(place...)
      }
    }
  }

  /// Makes lengths and checksums right again, as far as the lengths still lead through the bytes.
  static func seal(_ bytes: inout [UInt8]) {
    var place = 0
    while bytes.count - place >= 14 {
      let length = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
      let count = length >= 14 && length <= bytes.count - place ? length : bytes.count - place
      for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
      let sum = checksum(bytes[place..<place + count - 4])
      for byte in 0..<4 { bytes[place + count - 4 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte)) }
      place += count
    }
  }

  /// CRC-32C, bit by bit.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1 }
    }
  }
}
