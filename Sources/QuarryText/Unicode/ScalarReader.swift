/// Reads scalars of UTF-8. The bytes are those of a string, so that they are valid.
struct ScalarReader {
  let bytes: UnsafeBufferPointer<UInt8>
  let tables: UnicodeTables

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ tables: UnicodeTables = .shared) {
    self.bytes = bytes
    self.tables = tables
  }

  @inline(__always)
  var count: Int { bytes.count }

  /// The scalar that begins at a place before the end, and its number of bytes.
  ///
  /// A scalar that the bytes cut off is read as U+FFFD: no byte behind the end is read.
  @inline(__always)
  func scalar(at place: Int) -> (value: UInt32, length: Int) {
    let first = bytes[place]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard bytes.count &- place >= length else { return (0xFFFD, bytes.count &- place) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(bytes[place &+ offset] & 0x3F) }
    return (min(value, 0x10_FFFF), length)
  }

  /// The class of the scalar at a place before the end, and its number of bytes.
  @inline(__always)
  func scalarClass(at place: Int) -> (ScalarClass, length: Int) {
    let (value, length) = scalar(at: place)
    return (ScalarClass(bits: tables.classes[value]), length)
  }
}
