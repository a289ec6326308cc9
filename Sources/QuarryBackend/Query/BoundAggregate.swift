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
  /// Bytes that the groups may take in memory, about; `.max` for no bound, as in an encrypted store.
  ///
  /// ``RowAggregator`` sorts the rows of further groups in temporary files.
  public var memory: Int

  /// Creates a bound aggregate.
  ///
  /// - Parameters:
  ///   - rows: The query whose rows are put into groups.
  ///   - groups: The slots to group by; empty for one group of all rows.
  ///   - columns: The figures of each group.
  ///   - memory: Bytes that the groups may take in memory, about; without it, they take what they need.
  public init(rows: BoundQuery, groups: [Int] = [], columns: [Column], memory: Int = .max) {
    self.rows = rows
    self.groups = groups
    self.columns = columns
    self.memory = memory
  }
}

/// One group of an aggregate: the values of the grouped slots, followed by the values of the columns.
public struct AggregateRow: Sendable, Hashable {
  /// The values of the groups, then those of the columns: one array, because there may be millions of rows.
  package private(set) var all: [Value]
  private var groupCount: Int

  /// The values of the grouped slots.
  public var groups: [Value] {
    get { Array(all[..<groupCount]) }
    set {
      all.replaceSubrange(..<groupCount, with: newValue)
      groupCount = newValue.count
    }
  }

  /// The values of the columns.
  public var values: [Value] {
    get { Array(all[groupCount...]) }
    set { all.replaceSubrange(groupCount..., with: newValue) }
  }

  /// Creates an aggregate row.
  ///
  /// - Parameters:
  ///   - groups: The values of the slots that were grouped by, in the order of the aggregate.
  ///   - values: The values of the columns, in the order of the aggregate.
  public init(groups: [Value], values: [Value]) {
    self.init(all: groups + values, groupCount: groups.count)
  }

  package init(all: [Value], groupCount: Int) {
    self.all = all
    self.groupCount = groupCount
  }
}
