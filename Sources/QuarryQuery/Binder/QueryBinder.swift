public import QuarryBackend

/// Binds queries by names to a model's slots, so that backends see only queries that they can execute.
///
/// Every name becomes a slot, every constant has exactly its column's type, and every order ends with the primary key.
///
/// Binding reads no data. One binder serves any number of queries on any threads.
public struct QueryBinder: Sendable {
  /// The model that queries are bound to.
  public let model: ModelSchema
  private let slots: [ByteString: Int]
  private let forms: [Int: NestedForm]

  /// Creates a binder for a model whose schema was checked.
  ///
  /// - Parameter forms: The forms that the program knows for values inside properties, by slot. A path to a member that is not
  ///   among them is refused. Members that stored values lack have their defaults.
  /// - Complexity: O(number of properties).
  public init(_ model: ModelSchema, forms: [Int: NestedForm] = [:]) {
    self.model = model
    self.forms = forms
    var slots: [ByteString: Int] = [:]
    for slot in model.liveSlots { slots[ByteString(model.properties[slot].name)] = slot }
    self.slots = slots
  }

  /// Binds a query.
  ///
  /// - Parameter projection: The names of the properties that the caller reads; nil for all.
  /// - Throws: `invalidQuery` for names that do not exist, values that cannot be compared, a negative limit or offset, and a
  ///   position of another query. `limitExceeded` for a predicate that is too deep or too large. `unsupported` for an order by a
  ///   value without one.
  public func bind(_ query: QueryTree, projection: [String]? = nil) throws(StorageError) -> BoundQuery {
    guard query.links == nil else {
      throw StorageError(.invalidQuery, "the links of a query are read before it is bound", model: model.name)
    }
    try check(query)
    return try bound(query, try bind(query.predicate), projection)
  }

  /// Binds a query whose condition and links are bound already: they take the place of its own.
  package func bind(
    _ query: QueryTree, where predicate: BoundPredicate, projection: [String]? = nil
  ) throws(StorageError) -> BoundQuery {
    try check(query)
    return try bound(query, predicate, projection)
  }

  private func check(_ query: QueryTree) throws(StorageError) {
    guard ByteString(query.model) == ByteString(model.name) else {
      throw .queryIsFor(query.model, not: model.name)
    }
    if let limit = query.limit, limit < 0 { throw .negative("limit", limit, model: model.name) }
    guard query.offset >= 0 else { throw .negative("offset", query.offset, model: model.name) }
  }

  private func bound(
    _ query: QueryTree, _ predicate: BoundPredicate, _ projection: [String]?
  ) throws(StorageError) -> BoundQuery {
    var predicate = predicate
    if let members = model.keyMembers { predicate = withKeyRange(predicate, members) }
    let order = try bind(order: query.order)
    if let position = query.position {
      predicate = .allOf([predicate, try bind(position, of: query, order)])
    }
    var projected: [Int]?
    if let projection {
      var seen: Set<Int> = []
      var chosen: [Int] = []
      for name in projection {
        let slot = try slot(name)
        if seen.insert(slot).inserted { chosen.append(slot) }
      }
      projected = chosen
    }
    return BoundQuery(
      model: model.id, predicate: predicate, order: order, limit: query.limit, offset: query.offset,
      projection: projected)
  }

  /// Binds a condition.
  ///
  /// - Parameter predicate: The condition by names.
  /// - Throws: `invalidQuery` for names that do not exist and values that cannot be compared; `limitExceeded` for a condition
  ///   that is too deep or too large.
  /// - Complexity: O(n) for n nodes and constants of the condition.
  public func bind(_ predicate: PredicateTree) throws(StorageError) -> BoundPredicate {
    try TreeLimits.check(predicate)
    do throws(StorageError) {
      return try bound(predicate)
    } catch {
      throw error.with(model: model.name)
    }
  }

  /// The slot of a property.
  ///
  /// - Parameter name: The name of a property, compared by bytes.
  /// - Throws: `invalidQuery` with the nearest name there is.
  public func slot(_ name: String) throws(StorageError) -> Int {
    if let slot = slots[ByteString(name)] { return slot }
    let names = model.shownSlots.map { model.properties[$0].name }
    throw .noProperty(name, in: model.name, among: names)
  }

  func property(_ slot: Int) -> PropertySchema { model.properties[slot] }

  /// The form known for the values inside a property.
  func form(_ slot: Int) -> NestedForm? { forms[slot] }

  /// An `invalidQuery` about a property.
  func invalid(_ slot: Int, _ message: String) -> StorageError {
    StorageError(.invalidQuery, message, model: model.name, property: property(slot).name)
  }
}
