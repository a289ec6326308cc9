package import QuarryBackend

/// A property of a model as a column that is named in SQL.
package struct SQLColumn: Sendable {
  package let slot: RowLayout.Slot
  /// The quoted name of the column that holds the value.
  package let name: String
  /// The quoted name of the column, or the expression, that is compared, sorted and indexed.
  package let ordered: String
  /// Whether NaN is possible.
  package let isFloatingPoint: Bool
  /// Whether the column is compared as a text by its bytes, so that the database can decide text operators.
  package let isText: Bool

  package init(slot: RowLayout.Slot, name: String, ordered: String, isFloatingPoint: Bool, isText: Bool) {
    self.slot = slot
    self.name = name
    self.ordered = ordered
    self.isFloatingPoint = isFloatingPoint
    self.isText = isText
  }
}
