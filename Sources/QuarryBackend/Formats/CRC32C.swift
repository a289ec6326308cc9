/// CRC-32C (Castagnoli), as in RFC 3720: reflected polynomial 0x82F63B78, initial value and final exclusive-or all ones.
package enum CRC32C {
  /// Sixteen tables of 256 numbers one after the other, so that sixteen bytes are folded at a time.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 16 * 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 != 0 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
      tables[index] = value
    }
    for index in 256..<16 * 256 {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  /// The checksum of the bytes, or of all bytes so far when an earlier checksum is continued.
  ///
  /// - Complexity: O(n), sixteen bytes at a time.
  package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing earlier: UInt32 = 0) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var crc = ~earlier
      guard let start = bytes.baseAddress, let table = tables.baseAddress else { return ~crc }
      var place = start
      let end = start + bytes.count
      while end - place >= 16 {
        let low = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
        let high = UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        crc = fold(low, table + 8 * 256) ^ fold(high, table)
        place += 16
      }
      while place < end {
        crc = crc >> 8 ^ table[Int(truncatingIfNeeded: (crc ^ UInt32(place.load(as: UInt8.self))) & 0xFF)]
        place += 1
      }
      return ~crc
    }
  }

  /// The checksum of eight bytes, the last of which is looked up in the first of eight tables.
  ///
  /// Inside the tables whatever the word is: an index is a byte.
  @inline(__always)
  private static func fold(_ word: UInt64, _ table: UnsafePointer<UInt32>) -> UInt32 {
    @inline(__always) func byte(_ index: Int) -> UInt32 {
      table[(7 &- index) &* 256 &+ Int(truncatingIfNeeded: word &>> UInt64(8 &* index) & 0xFF)]
    }
    let first = byte(0) ^ byte(1) ^ byte(2)
    let second = byte(3) ^ byte(4) ^ byte(5)
    return first ^ second ^ byte(6) ^ byte(7)
  }
}
