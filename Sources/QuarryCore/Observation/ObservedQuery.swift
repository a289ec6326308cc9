import QuarryBackend
import QuarryQuery

/// A query that is observed: how it is read, and what concerns it.
struct ObservedQuery {
  let tree: QueryTree
  /// Whether the model is one of the program's.
  let isTyped: Bool
  /// The properties whose changes count; nil for all.
  var names: [String]?
  /// The one object that it is about, by its primary key.
  var key: Key?
  /// The rows of the list whose order counts, in which an object may come twice; nil where the order is the query's.
  var list: QueryTree?

  /// The form of the query in one version of the schema.
  struct Plan {
    let model: ModelSchema
    let binder: QueryBinder
    let layout: RowLayout
    /// The query, where its rows are kept up to date from captured ones; nil where it is read again.
    let kept: BoundQuery?
    /// The slots whose changes count; nil for all.
    let slots: Set<Int>?
    let schemaVersion: UInt64
  }

  /// Checks the query and finds out what concerns it.
  func plan(in transaction: ReadTransaction) throws(StorageError) -> (Plan, ChangeFeed.Interest) {
    let (model, binder) = try bound(in: transaction)
    let layout = RowLayout(model)
    do throws(StorageError) {
      let resolver = PathResolver(transaction, model, binder, isTyped: isTyped, pushes: true)
      let isSortedByOthers = tree.leadsByOrder(model)
      let bound = try resolver.bound(tree)
      let others = resolver.modelsLedTo.subtracting([model.id])
      // Its own model, when a path leads back to it: any of its objects may decide on any.
      let hasPath = try resolver.leadsOn(tree)
      let leadsOn = hasPath || isSortedByOthers || tree.links != nil
      let isKept = !leadsOn && bound.limit == nil && bound.offset == 0
      var slots: Set<Int>?
      if let names {
        var found: Set<Int> = []
        for name in names { found.insert(try binder.slot(name)) }
        slots = found
      }
      var interest = ChangeFeed.Interest(model: model.id, key: key, keepsRows: isKept)
      interest.others = leadsOn ? others.union([model.id]) : others
      interest.details = [model.id: leadsOn ? .touched : .rows]
      for other in others { interest.details[other] = .touched }
      if !leadsOn { interest.predicate = try CompiledPredicate(bound.predicate, layout) }
      let plan = Plan(
        model: model, binder: binder, layout: layout, kept: isKept ? bound : nil, slots: slots,
        schemaVersion: transaction.backend.schema.version)
      return (plan, interest)
    } catch {
      throw error.with(model: model.name)
    }
  }

  /// The rows of the query, in its order.
  func read(
    _ plan: Plan, in transaction: ReadTransaction, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      if let list {
        let values = try transaction.fetchRecords(list, [LinkDefinition.target]).map { $0.values[0] }
        let keys = try transaction.primaryKeys(values, plan.model)
        return try transaction.backend.rows(plan.model.id, keys) { _, row throws(StorageError) in
          if let row { try body(row) }
        }
      }
      try transaction.rows(tree, plan.model, plan.binder, isTyped: isTyped, projection: nil).forEach {
        (row) throws(StorageError) in
        try body(row)
        return true
      }
    } catch {
      throw error.with(model: plan.model.name)
    }
  }

  private func bound(in transaction: ReadTransaction) throws(StorageError) -> (ModelSchema, QueryBinder) {
    if isTyped, let binding = transaction.context.binding(where: { $0.name == tree.model }) {
      return (binding.schema, binding.binder)
    }
    let model = try transaction.modelSchema(tree.model)
    return (model, QueryBinder(model))
  }
}
