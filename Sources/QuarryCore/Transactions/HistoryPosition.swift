/// The place of a change set in the history of a store.
///
/// A later change set has a greater position. Positions of different stores are not comparable, but a copy, a backup and a
/// restored dump of a store continue its positions. A position is stored as its text, which programs do not interpret.
public struct HistoryPosition: Sendable, Hashable, Comparable, LosslessStringConvertible, Codable {
  let number: Int64

  init(_ number: Int64) {
    self.number = number
  }

  /// The position before the first change set of a store.
  public static let start = HistoryPosition(0 as Int64)

  /// The position with that text; nil for a text that is none.
  ///
  /// - Parameter description: The text of a position: ``description``.
  public init?(_ description: String) {
    guard !description.isEmpty, description.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(description)
    else { return nil }
    self.number = number
  }

  /// The text of the position.
  public var description: String { String(number) }

  public static func < (left: HistoryPosition, right: HistoryPosition) -> Bool { left.number < right.number }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let position = HistoryPosition(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text.prefix(40)) is not a position")
    }
    self = position
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
