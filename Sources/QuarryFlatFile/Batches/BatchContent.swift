import QuarryBackend
import QuarryKeyValue
import QuarryTree

/// Reads the operations of a batch.
///
/// Every length is compared with what is left before anything is lent, so that no content, whatever it is, makes it
/// read outside.
struct BatchContent {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Does to the trees what the batch says.
  ///
  /// - Returns: Whether the content could be read to its end.
  /// - Throws: `full` when there is no memory for a large value.
  static func apply(_ bytes: UnsafeRawBufferPointer, to trees: inout TreeSet) throws(StorageError) -> Bool {
    var content = BatchContent(bytes)
    var current: TreeID?
    while let operation = content.byte() {
      if operation == FlatFileFormat.Operation.tree {
        guard let number = content.number(), let tree = TreeID(exactly: number) else { return false }
        current = tree
        continue
      }
      guard let tree = current else { return false }
      switch operation {
      case FlatFileFormat.Operation.put:
        guard let keyCount = content.number(), let valueCount = content.number(),
          let key = content.bytes(keyCount), let value = content.bytes(valueCount)
        else { return false }
        try trees.put(tree, key, value)
      case FlatFileFormat.Operation.delete:
        guard let count = content.number(), let key = content.bytes(count) else { return false }
        try trees.remove(tree, key)
      case FlatFileFormat.Operation.deleteRange:
        guard let flags = content.byte(), flags & ~3 == 0 else { return false }
        var range = KeyRange()
        if flags & 1 != 0 {
          guard let count = content.number(), let bound = content.bytes(count) else { return false }
          range.lower = Array(bound)
        }
        if flags & 2 != 0 {
          guard let count = content.number(), let bound = content.bytes(count) else { return false }
          range.upper = Array(bound)
        }
        try trees.remove(tree, in: range)
      default:
        return false
      }
    }
    return true
  }

  @inline(__always)
  private mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset &+= 1 }
    return bytes[offset]
  }

  /// A LEB128 number of at most 63 bits.
  @inline(__always)
  private mutating func number() -> UInt64? {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = byte() {
      result |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return result }
      shift &+= 7
      if shift > 56 { return nil }
    }
    return nil
  }

  @inline(__always)
  private mutating func bytes(_ count: UInt64) -> UnsafeRawBufferPointer? {
    guard count <= UInt64(bytes.count &- offset) else { return nil }
    let start = offset
    offset &+= Int(truncatingIfNeeded: count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }
}
