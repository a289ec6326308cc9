/// The values that a property has in rows of a model: what a property of a query's own rows is one of.
///
/// Nulls are not among them.
public struct BoundSubquery: Sendable, Hashable {
  /// The model whose rows are searched.
  public var model: ModelID
  /// The property whose values are compared. It has the type of the property that is compared with them.
  public var slot: Int
  /// The condition that the rows fulfil.
  public var predicate: BoundPredicate
  /// How many of these rows have a value, for it to be meant; nil for one and more.
  public var count: Count?

  /// A comparison with a number of rows.
  public struct Count: Sendable, Hashable {
    /// The comparison, the number of rows on its left.
    public var comparison: Comparison
    /// The number that it is compared with.
    public var number: Int64

    /// A comparison of a number of rows with another number.
    ///
    /// - Parameters:
    ///   - comparison: The comparison, with the number of rows on its left.
    ///   - number: The number on its right.
    public init(_ comparison: Comparison, _ number: Int64) {
      self.comparison = comparison
      self.number = number
    }
  }

  /// The values of a property in rows that fulfil a condition.
  ///
  /// - Parameter count: How many of these rows have a value, for it to be meant; nil for one and more.
  public init(model: ModelID, slot: Int, predicate: BoundPredicate, count: Count? = nil) {
    self.model = model
    self.slot = slot
    self.predicate = predicate
    self.count = count
  }
}

extension BoundPredicate {
  /// Whether rows of other models decide a part of the condition.
  package var hasSubquery: Bool {
    switch self {
    case .oneOfRows: true
    case .not(let inner): inner.hasSubquery
    case .and(let parts), .or(let parts): parts.contains(where: \.hasSubquery)
    default: false
    }
  }
}
