/// CRC-32C (Castagnoli), as in RFC 3720: reflected polynomial 0x82F63B78, initial value and final exclusive-or all ones.
public enum CRC32C {
  /// Eight tables, so that eight bytes are folded at a time.
  private static let tables: [[UInt32]] = {
    var first = [UInt32](repeating: 0, count: 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 != 0 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
      first[index] = value
    }
    var tables = [first]
    for table in 1..<8 {
      tables.append(tables[table - 1].map { $0 >> 8 ^ first[Int($0 & 0xFF)] })
    }
    return tables
  }()

  /// The checksum of the bytes, or of all bytes so far when an earlier checksum is continued.
  ///
  /// - Complexity: O(n), about one nanosecond for each byte.
  public static func checksum(_ bytes: UnsafeRawBufferPointer, continuing earlier: UInt32 = 0) -> UInt32 {
    var crc = ~earlier
    var index = 0
    tables[0].withUnsafeBufferPointer { table0 in
      if bytes.count >= 8 {
        let (t1, t2, t3, t4) = (tables[1], tables[2], tables[3], tables[4])
        let (t5, t6, t7) = (tables[5], tables[6], tables[7])
        while index + 8 <= bytes.count {
          let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ crc
          let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
          crc =
            t7[Int(low & 0xFF)] ^ t6[Int(low >> 8 & 0xFF)] ^ t5[Int(low >> 16 & 0xFF)] ^ t4[Int(low >> 24)]
            ^ t3[Int(high & 0xFF)] ^ t2[Int(high >> 8 & 0xFF)] ^ t1[Int(high >> 16 & 0xFF)] ^ table0[Int(high >> 24)]
          index += 8
        }
      }
      while index < bytes.count {
        crc = crc >> 8 ^ table0[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
    }
    return ~crc
  }
}
