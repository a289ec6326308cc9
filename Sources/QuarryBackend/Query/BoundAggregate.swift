/// Aggregates of the rows of a query, in groups.
///
/// Order, limit and offset of the query choose the rows first where they are given (``rows``). Groups come in the order of their
/// keys by ``ValueOrder``.
public struct BoundAggregate: Sendable, Hashable {
  /// A figure that is worked out of each group.
  public struct Column: Sendable, Hashable {
    /// The function to compute.
    public var function: AggregateFunction
    /// Nil only for `count`, which then counts rows; with a slot `count` counts values that are not nil.
    public var slot: Int?

    /// A figure of the values of a slot, or of the rows.
    ///
    /// - Parameters:
    ///   - function: The function.
    ///   - slot: The slot with the values; nil to count rows.
    public init(_ function: AggregateFunction, slot: Int? = nil) {
      self.function = function
      self.slot = slot
    }
  }

  /// The query whose rows are put into groups.
  public var rows: BoundQuery
  /// The slots to group by; empty for one group of all rows, which exists even without rows.
  public var groups: [Int]
  /// Empty for the distinct combinations of the groups' values.
  public var columns: [Column]

  /// Creates a bound aggregate.
  ///
  /// - Parameters:
  ///   - rows: The query whose rows are put into groups.
  ///   - groups: The slots to group by; empty for one group of all rows.
  ///   - columns: The figures of each group.
  public init(rows: BoundQuery, groups: [Int] = [], columns: [Column]) {
    self.rows = rows
    self.groups = groups
    self.columns = columns
  }
}

/// One group of an aggregate: the values of the grouped slots, followed by the values of the columns.
public struct AggregateRow: Sendable, Hashable {
  /// The values of the grouped slots.
  public var groups: [Value]
  /// The values of the columns.
  public var values: [Value]

  /// Creates an aggregate row.
  ///
  /// - Parameters:
  ///   - groups: The values of the slots that were grouped by, in the order of the aggregate.
  ///   - values: The values of the columns, in the order of the aggregate.
  public init(groups: [Value], values: [Value]) {
    self.groups = groups
    self.values = values
  }
}
