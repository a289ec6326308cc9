/// A range of keys by their bytes.
public struct KeyRange: Sendable, Hashable {
  /// Where the range begins, itself included; nil for the first key of the tree.
  public var lower: [UInt8]?
  /// Where the range ends, itself not included; nil for after the last key of the tree.
  public var upper: [UInt8]?

  /// Creates a key range.
  ///
  /// - Parameters:
  ///   - lower: The first key, which is in the range; nil for the first key of the tree.
  ///   - upper: The end, which is not in the range; nil for after the last key of the tree.
  public init(lower: [UInt8]? = nil, upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Every key.
  public static let all = KeyRange()

  /// Every key that begins with these bytes.
  public static func prefix(_ bytes: [UInt8]) -> KeyRange {
    KeyRange(lower: bytes, upper: successor(ofPrefix: bytes))
  }

  /// The least key after all keys with this prefix; nil when there is none, because every byte is 0xFF.
  ///
  /// - Parameter bytes: The prefix.
  public static func successor(ofPrefix bytes: [UInt8]) -> [UInt8]? {
    bytes.successorOfPrefix
  }
}
