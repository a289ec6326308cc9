#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  extension PostgreSQLWriteTransaction {
    func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
      let model = try usableModel(model)
      let count = keys.isEmpty ? 0 : try remove(model, keys)
      if count > 0 { note(model) }
      return count
    }

    /// The most keys, and about the most bytes of keys, of one statement.
    private static let mostKeys = 10_000
    private static let mostKeyBytes = 4 << 20

    /// Removes the rows with these keys.
    ///
    /// A constraint or a trigger of another program may refuse it: then nothing is removed.
    func remove(_ model: PostgreSQLModel, _ keys: [Key]) throws(StorageError) -> Int {
      guard let last = keys.last else { return 0 }
      if keys.count == 1 {
        var parameters = PostgreSQLParameters()
        try last.bytes.withBytes { (key) throws(StorageError) in try model.rowWriter.add(key: key, to: &parameters) }
        return try changes(PostgreSQLStatement(model.table.deleteSQL, parameters), model)
      }
      var end = Self.end(of: keys, from: 0)
      if end == keys.count { return try changes(try removal(model, keys[...]), model) }
      return try atomically { () throws(StorageError) in
        var (start, count) = (0, 0)
        while start < keys.count {
          count += try query(try removal(model, keys[start..<end])).changes
          start = end
          end = Self.end(of: keys, from: start)
        }
        return count
      }
    }

    /// Where the keys of the statement end that begins with this one.
    private static func end(of keys: [Key], from start: Int) -> Int {
      var (end, byteCount) = (start, 0)
      while end < keys.count, end - start < mostKeys, byteCount < mostKeyBytes {
        byteCount += keys[end].bytes.count
        end += 1
      }
      return end
    }

    private func removal(_ model: PostgreSQLModel, _ keys: ArraySlice<Key>) throws(StorageError) -> PostgreSQLStatement
    {
      var parameters = PostgreSQLParameters()
      try model.rowWriter.add(keys, to: &parameters)
      return PostgreSQLStatement(model.table.deleteManySQL, parameters)
    }

    /// Runs a statement in a savepoint.
    ///
    /// - Returns: How many rows it changed.
    private func changes(_ statement: PostgreSQLStatement, _ model: PostgreSQLModel) throws(StorageError) -> Int {
      do throws(StorageError) {
        return try protected([statement]).last?.changes ?? 0
      } catch {
        throw described(error, model.table)
      }
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
        count = try changes(PostgreSQLStatement(sql, parameters), model)
      } else {
        // Fixed before the first change.
        var narrow = query
        narrow.projection = []
        var keys: [Key] = []
        try forEachRow(narrow) { (row) throws(StorageError) in keys.append(try Key(of: row, table.layout)) }
        count = try remove(model, keys)
      }
      if count > 0 { note(model) }
      return count
    }
  }
#endif
