#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// A query as a statement, and what is to be done with its rows.
  struct PostgreSQLSelect {
    let reader: PostgreSQLRowReader
    let selection: SQLSelection
    let sql: String
    let parameters: PostgreSQLParameters
    /// The offset and the limit that the cursor applies itself, because it filters rows after the server.
    let offset: Int
    let limit: Int?
    /// How many rows the statement gives at most; nil where that is not known.
    let most: Int?

    init(_ query: BoundQuery, _ table: PostgreSQLTable, in tables: any SQLTables) throws(StorageError) {
      let selection = try SQLSelection(query.predicate, table, in: tables)
      self.selection = selection
      var slots: Set<Int>?
      if let projection = query.projection {
        var needed = Set(projection)
        for part in selection.residual { part.collectSlots(&needed) }
        slots = needed
      }
      reader = try PostgreSQLRowReader(table, slots.map { Array($0) })
      var values: [SQLConstant] = []
      var sql = "SELECT \(reader.list()) FROM \(table.name)"
      sql += selection.whereClause(&values)
      sql += try SQLSelection.orderClause(query.order, table)
      if selection.residual.isEmpty {
        sql += Self.limitClause(query, &values)
        (offset, limit, most) = (0, nil, query.limit)
      } else {
        (offset, limit, most) = (query.offset, query.limit, nil)
      }
      self.sql = sql
      var parameters = PostgreSQLParameters()
      parameters.add(values, selection.lists)
      self.parameters = parameters
    }

    /// ` LIMIT … OFFSET …`, as parameters.
    static func limitClause(_ query: BoundQuery, _ values: inout [SQLConstant]) -> String {
      var sql = ""
      if let limit = query.limit {
        values.append(.integer(Int64(limit)))
        sql += " LIMIT $\(values.count)"
      }
      if query.offset > 0 {
        values.append(.integer(Int64(query.offset)))
        sql += " OFFSET $\(values.count)"
      }
      return sql
    }
  }
#endif
