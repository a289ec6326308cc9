/// A query as a backend sees it, created by ``QueryBinder``.
///
/// Names are replaced by slots, constants have the exact type of their column, and the order ends with the primary key.
///
/// The binder is the guard of bound values. Engines trust that the limit and the offset are not negative, that slots exist, and
/// that constants fit their columns. They also trust that the primary key is not assigned to, and that aggregates fit their
/// types.
public struct BoundQuery: Sendable, Hashable {
  /// The number of the model.
  public var model: ModelID
  /// The condition that rows fulfil.
  public var predicate: BoundPredicate
  /// Never empty: the last key is the primary key, in the direction of the key before it.
  public var order: [BoundSortKey]
  /// How many rows are given at most; nil for no limit.
  public var limit: Int?
  /// How many rows are left out first.
  public var offset: Int
  /// The slots that the caller reads; nil for all. A cursor may leave other slots null, except the primary key.
  public var projection: [Int]?

  /// Creates a bound query.
  ///
  /// - Parameters:
  ///   - model: The id of the model.
  ///   - predicate: The condition on its rows.
  ///   - order: The sort keys; the last one is the primary key.
  ///   - limit: The most rows; nil for all.
  ///   - offset: The number of first rows to leave out, at least 0.
  ///   - projection: The slots that the caller reads; nil for all.
  public init(
    model: ModelID, predicate: BoundPredicate = .constant(true), order: [BoundSortKey], limit: Int? = nil,
    offset: Int = 0, projection: [Int]? = nil
  ) {
    self.model = model
    self.predicate = predicate
    self.order = order
    self.limit = limit
    self.offset = offset
    self.projection = projection
  }

  /// Every row of a model, whole, in the order of primary keys.
  package init(everyRowOf model: ModelSchema) {
    self.init(model: model.id, order: [BoundSortKey(slot: model.primaryKey)])
  }
}

/// One key of a bound order.
public struct BoundSortKey: Sendable, Hashable {
  /// The slot whose values are compared.
  public var slot: Int
  /// Whether the greatest value comes first.
  public var isDescending: Bool

  /// Creates a bound sort key.
  ///
  /// - Parameters:
  ///   - slot: The slot to sort by, whose type has an order.
  ///   - isDescending: Whether the greatest value comes first, and nil last.
  public init(slot: Int, isDescending: Bool = false) {
    self.slot = slot
    self.isDescending = isDescending
  }
}
