extension UInt8 {
  /// Whether the byte is a decimal digit.
  @inlinable package var isDigit: Bool { self &- 0x30 < 10 }

  /// The byte's value as a hexadecimal digit in either case; nil when it is none.
  @inlinable package var hexDigit: UInt8? {
    switch self {
    case 0x30...0x39: self &- 0x30
    case 0x41...0x46: self &- 0x41 &+ 10
    case 0x61...0x66: self &- 0x61 &+ 10
    default: nil
    }
  }
}
