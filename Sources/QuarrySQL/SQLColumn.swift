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
  /// The beginning of the value, which indexes have in its place; nil where they have the value itself.
  public let beginning: SQLBeginning?

  /// Describes a column.
  ///
  /// - Parameters:
  ///   - slot: The slot of the value in a row, with its type.
  ///   - name: The quoted name of the column that holds the value.
  ///   - ordered: The quoted name of the column, or the expression, that is compared, sorted and indexed.
  ///   - isFloatingPoint: Whether NaN is possible.
  ///   - isText: Whether the column is compared as a text by its bytes.
  ///   - beginning: The beginning of the value that indexes have; nil where they have the value itself.
  public init(
    slot: RowLayout.Slot, name: String, ordered: String, isFloatingPoint: Bool, isText: Bool,
    beginning: SQLBeginning? = nil
  ) {
    self.slot = slot
    self.name = name
    self.ordered = ordered
    self.isFloatingPoint = isFloatingPoint
    self.isText = isText
    self.beginning = beginning
  }
}

/// The beginning of long values, in the order of the values: what the indexes of a database hold that limits the length of
/// their entries.
public struct SQLBeginning: Sendable {
  /// The expression over the column, as the index has it.
  public let column: String
  /// The same of a constant, with ``SQLParameters/mark`` in its place.
  public let constant: String

  /// Describes a beginning.
  ///
  /// - Parameters:
  ///   - column: The expression over the column, as the index has it.
  ///   - constant: The same expression over a constant, with ``SQLParameters/mark`` in its place.
  public init(column: String, constant: String) {
    self.column = column
    self.constant = constant
  }
}
