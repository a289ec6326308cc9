import QuarryBackend
import QuarryQuery

// Queries whose conditions and orders may lead to other objects, as ones on a model's own properties.

extension ReadTransaction {
  /// A typed query, bound. An order that leads to other objects has chosen the rows where there is a limit, and is gone.
  func bind(
    _ query: QueryTree, _ binding: ModelBinding, projection: [String]?
  ) throws(StorageError) -> BoundQuery {
    try binding.binder.bind(chosen(query, binding), projection: projection)
  }

  /// A cursor over the rows of a typed query, in its order.
  func rows(
    _ query: QueryTree, _ binding: ModelBinding, projection: [String]?
  ) throws(StorageError) -> any RowCursor {
    guard binding.leadsOn else {
      return try backend.cursor(binding.binder.bind(resolved(query, binding.schema), projection: projection))
    }
    return try rows(query, binding.schema, binding.binder, isTyped: true, projection: projection)
  }

  /// A cursor over the rows of a query, in its order.
  func rows(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool, projection: [String]?
  ) throws(StorageError) -> any RowCursor {
    let resolver = PathResolver(self, isTyped: isTyped)
    let query = try resolver.resolved(resolved(query, model), model)
    guard query.leadsByOrder(model) else { return try backend.cursor(binder.bind(query, projection: projection)) }
    return SortedRows(backend, model.id, try resolver.sortedKeys(query, model, binder).map(\.key))
  }

  /// The query as the engine knows it: without paths to other objects.
  func chosen(_ query: QueryTree, _ binding: ModelBinding) throws(StorageError) -> QueryTree {
    let query = try resolved(query, binding.schema)
    guard binding.leadsOn else { return query }
    return try PathResolver(self, isTyped: true).chosen(query, binding.schema, binding.binder)
  }

  /// The query of records as the engine knows it.
  func chosen(_ query: QueryTree, _ model: ModelSchema) throws(StorageError) -> QueryTree {
    try PathResolver(self, isTyped: false).chosen(resolved(query, model), model, QueryBinder(model))
  }

  /// The engine's plan for the query, and what is read before it.
  func explain(
    _ query: QueryTree, _ model: ModelSchema, _ binder: QueryBinder, isTyped: Bool
  ) throws(StorageError) -> QueryPlan {
    let resolver = PathResolver(self, isTyped: isTyped)
    let sorts = query.leadsByOrder(model)
    let query = try resolver.chosen(resolved(query, model), model, binder)
    var plan = try backend.explain(binder.bind(query))
    plan.first = resolver.steps
    plan.sorts = plan.sorts || sorts
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
