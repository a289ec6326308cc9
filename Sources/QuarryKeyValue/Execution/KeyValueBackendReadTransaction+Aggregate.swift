package import QuarryBackend

extension KeyValueBackendReadTransaction {
  package func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    let query = aggregate.rows
    let table = try tables().table(query.model)
    let choosesRows = query.limit != nil || query.offset > 0
    if !choosesRows, let row = try aggregateFromEnds(aggregate, table) { return [row] }
    let aggregator = try RowAggregator(aggregate, table.model, table.layout)
    if choosesRows {
      let found = try cursor(query)
      try withBatch { batch throws(StorageError) in
        while case let count = try found.fill(batch), count > 0 {
          for place in 0..<count { try aggregator.add(batch[place]) }
        }
      }
    } else {
      let plan = try plan(query, table, ordered: false)
      let found = try results(query.model, plan, table)
      try found.visitRows { row throws(StorageError) in try aggregator.add(row) }
    }
    return try aggregator.finish()
  }

  /// Counts, least and greatest values of all rows, where each column of the aggregate can be read from the end of a
  /// tree or counted without reading rows; nil where that is not so.
  private func aggregateFromEnds(_ aggregate: BoundAggregate, _ table: Table) throws(StorageError) -> AggregateRow? {
    guard aggregate.groups.isEmpty, !aggregate.columns.isEmpty else { return nil }
    var values: [Value] = []
    for column in aggregate.columns {
      switch (column.function, column.slot) {
      case (.count, nil):
        let plan = try plan(aggregate.rows, table, ordered: false, counting: true)
        guard store.countsRanges, plan.residual.isEmpty else { return nil }
        values.append(.int(Int64(try count(aggregate.rows))))
      case (.min, let slot?), (.max, let slot?):
        guard table.layout.slots.indices.contains(slot), table.layout.slots[slot].type.isOrdered else { return nil }
        guard let end = try end(slot, isLast: column.function == .max, aggregate.rows, table) else { return nil }
        values.append(end)
      default:
        return nil
      }
    }
    return AggregateRow(groups: [], values: values)
  }

  /// The least or greatest value of a slot in the rows of a query, from the end of a walk in the slot's order; nil when
  /// there is no such walk that decides the predicate.
  private func end(
    _ slot: Int, isLast: Bool, _ query: BoundQuery, _ table: Table
  ) throws(StorageError) -> Value? {
    // Null has no part in it: the walk begins after the nulls.
    var query = query
    if table.layout.slots[slot].isOptional {
      query.predicate = .and([query.predicate, .not(.isNull(slot: slot))])
    }
    query.order = [
      BoundSortKey(slot: slot, isDescending: isLast),
      BoundSortKey(slot: table.layout.primaryKey, isDescending: isLast),
    ]
    query.limit = 1
    let plan = try plan(query, table)
    guard plan.ordering == .served, plan.residual.isEmpty else { return nil }
    let first = try results(query.model, plan, table, limit: 1)
    var value = Value.null
    try first.visitRows { row throws(StorageError) in
      value = try RowView(row, table.layout).value(table.layout.slots[slot], table.layout)
    }
    if value.isNull { return value }
    // In the one form that keys have, as the aggregator gives it: zero without a sign, one NaN.
    let key = try KeyEncoder().primaryKey(value, table.layout.slots[slot])
    return try key.withBytes { key throws(StorageError) in
      try Key.value(of: key, type: table.layout.slots[slot].type)
    }
  }
}
