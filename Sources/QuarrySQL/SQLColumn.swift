public import QuarryBackend

/// A property of a model as a column that is named in SQL.
public struct SQLColumn: Sendable {
  /// Where the value is in a row, and its type.
  public let slot: RowLayout.Slot
  /// The quoted name of the column that holds the value.
  public let name: String
  /// The quoted name of the column, or the expression, that is compared, sorted and indexed.
  public let ordered: String
  /// Whether NaN is possible.
  public let isFloatingPoint: Bool
  /// Whether the column is compared as a text by its bytes, so that the database can decide text operators.
  public let isText: Bool

  /// Describes a column.
  public init(slot: RowLayout.Slot, name: String, ordered: String, isFloatingPoint: Bool, isText: Bool) {
    self.slot = slot
    self.name = name
    self.ordered = ordered
    self.isFloatingPoint = isFloatingPoint
    self.isText = isText
  }
}
