#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  extension PostgreSQLWriteTransaction {
    func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
      let model = try usableModel(model)
      let count = keys.isEmpty ? 0 : try remove(model, keys)
      if count > 0 { hasChanged = true }
      return count
    }

    /// Removes the rows with these keys, in one statement.
    func remove(_ model: PostgreSQLModel, _ keys: [Key]) throws(StorageError) -> Int {
      guard !keys.isEmpty else { return 0 }
      var parameters = PostgreSQLParameters()
      if keys.count == 1, let key = keys.first {
        try key.bytes.withBytes { (key) throws(StorageError) in try model.rowWriter.add(key: key, to: &parameters) }
        return try query(PostgreSQLStatement(model.table.deleteSQL, parameters)).changes
      }
      try model.rowWriter.add(keys, to: &parameters)
      return try query(PostgreSQLStatement(model.table.deleteManySQL, parameters)).changes
    }

    func delete(_ query: BoundQuery) throws(StorageError) -> Int {
      let model = try usableModel(query.model)
      let table = model.table
      let selection = try SQLSelection(query.predicate, table, in: state)
      let count: Int
      if selection.residual.isEmpty, query.limit == nil, query.offset == 0 {
        var values: [SQLConstant] = []
        let sql = "DELETE FROM \(table.name)\(selection.whereClause(&values))"
        var parameters = PostgreSQLParameters()
        parameters.add(values, selection.lists)
        count = try self.query(PostgreSQLStatement(sql, parameters)).changes
      } else {
        // Fixed before the first change.
        var narrow = query
        narrow.projection = []
        var keys: [Key] = []
        try forEachRow(narrow) { (row) throws(StorageError) in keys.append(try Key(of: row, table.layout)) }
        count = try remove(model, keys)
      }
      if count > 0 { hasChanged = true }
      return count
    }
  }
#endif
