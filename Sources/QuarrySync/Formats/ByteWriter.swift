import QuarryBackend

/// Appends numbers, text and values as `docs/formats/sync.md` defines them.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

  mutating func fixed<T: FixedWidthInteger>(_ value: T) { bytes.append(littleEndian: value) }

  /// LEB128 without needless bytes.
  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func count(_ value: Int) { varint(UInt64(value)) }

  mutating func text(_ name: SyncName) {
    count(name.text.utf8.count)
    bytes.append(contentsOf: name.text.utf8)
  }
}
