#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  extension PostgreSQLReadTransaction {
    /// The server counts rows and values. All else goes through the common aggregator over a cursor that reads only the columns
    /// in question.
    final func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
      try check()
      let table = try state.table(aggregate.rows.model)
      if let row = try counted(aggregate, table) { return [row] }
      let aggregator = try RowAggregator(aggregate, table.model, table.layout)
      var rows = aggregate.rows
      rows.projection = aggregate.groups + aggregate.columns.compactMap(\.slot)
      if rows.limit == nil, rows.offset == 0 { rows.order = [] }
      try forEachRow(rows) { (row) throws(StorageError) in try aggregator.add(row) }
      return try aggregator.finish()
    }

    /// One row of counts of all rows of a condition that the server decides; else nil.
    private func counted(_ aggregate: BoundAggregate, _ table: PostgreSQLTable) throws(StorageError) -> AggregateRow? {
      let query = aggregate.rows
      guard aggregate.groups.isEmpty, !aggregate.columns.isEmpty, query.limit == nil, query.offset == 0,
        aggregate.columns.allSatisfy({ $0.function == .count })
      else { return nil }
      let selection = try SQLSelection(query.predicate, table, in: state)
      guard selection.residual.isEmpty else { return nil }
      var columns: [String] = []
      for column in aggregate.columns {
        columns.append(
          try column.slot.map { (slot) throws(StorageError) in "count(\(try table.column(slot).name))" } ?? "count(*)")
      }
      var values: [SQLConstant] = []
      let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table.name)\(selection.whereClause(&values))"
      var parameters = PostgreSQLParameters()
      parameters.add(values, selection.lists)
      let result = try self.query(PostgreSQLStatement(sql, parameters))
      var counts: [Value] = []
      for place in columns.indices { counts.append(.int(try Self.integer(result, place))) }
      return AggregateRow(groups: [], values: counts)
    }
  }
#endif
