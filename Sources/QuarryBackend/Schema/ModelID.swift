/// The number of a model in its store, which never changes.
public struct ModelID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
  /// The number.
  public let rawValue: UInt32

  /// An id by its number.
  @inlinable
  public init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static func < (left: ModelID, right: ModelID) -> Bool { left.rawValue < right.rawValue }
  public var description: String { String(rawValue) }

  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt32.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
