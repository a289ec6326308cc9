import QuarryBackend
import QuarryQuery

// Queries whose conditions, orders and links may lead to other objects, as ones on a model's own properties.

extension ReadTransaction {
  /// A typed query, bound, for calls of the engine between which nothing is written. An order that leads to other objects has
  /// chosen the rows where there is a limit, and is gone.
  func bind(
    _ query: QueryTree, _ binding: ModelBinding, projection: [String]?
  ) throws(StorageError) -> BoundQuery {
    guard query.links != nil || binding.leadsOn else { return try binding.binder.bind(query, projection: projection) }
    return try PathResolver(self, binding.schema, binding.binder, isTyped: true, pushes: true)
      .bound(query, projection: projection)
  }

  /// A query of records, bound as a typed one is.
  func bind(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder
  ) throws(StorageError) -> BoundQuery {
    try PathResolver(self, model, binder, isTyped: false, pushes: true).bound(query)
  }

  /// A cursor over the rows of a typed query, in its order.
  func rows(
    _ query: QueryTree, _ binding: ModelBinding, projection: [String]?
  ) throws(StorageError) -> any RowCursor {
    guard query.links != nil || binding.leadsOn else {
      return try backend.cursor(binding.binder.bind(query, projection: projection))
    }
    return try rows(query, binding.schema, binding.binder, isTyped: true, projection: projection)
  }

  /// A cursor over the rows of a query, in its order.
  func rows(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool, projection: [String]?
  ) throws(StorageError) -> any RowCursor {
    let resolver = PathResolver(self, model, binder, isTyped: isTyped, pushes: canPushCursors)
    guard query.leadsByOrder(model) else { return try backend.cursor(resolver.bound(query, projection: projection)) }
    return SortedRows(backend, model.id, try resolver.sortedKeys(query).map(\.key))
  }

  /// The number of rows of a query.
  func count(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool
  ) throws(StorageError) -> Int {
    let resolver = PathResolver(self, model, binder, isTyped: isTyped, pushes: true)
    if let keys = try resolver.keysFoundByWords(query) { return keys.count }
    return try backend.count(resolver.bound(query))
  }

  /// While a cursor is open, a write transaction may write to the other models that its condition leads to.
  private var canPushCursors: Bool { !(self is WriteTransaction) }

  /// The engine's plan for the query, and the reads before it.
  func explain(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool
  ) throws(StorageError) -> QueryPlan {
    let resolver = PathResolver(self, model, binder, isTyped: isTyped, pushes: canPushCursors)
    var plan = try backend.explain(resolver.bound(query))
    plan.first = resolver.steps
    plan.sorts = plan.sorts || query.leadsByOrder(model)
    return plan
  }
}

extension QueryTree {
  /// Whether the order leads to other objects.
  func leadsByOrder(_ model: ModelSchema) -> Bool {
    order.contains { key in
      guard !key.members.isEmpty, let slot = model.slot(named: key.property) else { return false }
      return model.properties[slot].reference != nil
    }
  }
}
