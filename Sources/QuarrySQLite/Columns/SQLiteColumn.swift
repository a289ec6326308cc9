import QuarryBackend

/// A property of a model and its column.
struct SQLiteColumn: Sendable {
  let slot: RowLayout.Slot
  let kind: SQLiteColumnKind
  /// The type of an array's elements.
  let elementType: PropertyType?
  /// The quoted name of the column that holds the value.
  let name: String
  /// The quoted name of the column that is compared, sorted and indexed: of a decimal the one beside the value.
  let ordered: String
}
