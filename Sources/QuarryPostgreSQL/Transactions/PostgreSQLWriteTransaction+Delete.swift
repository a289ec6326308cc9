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
    /// A constraint, a trigger or a rule of another program may refuse it: then nothing is removed.
    func remove(_ model: PostgreSQLModel, _ keys: [Key]) throws(StorageError) -> Int {
      guard !keys.isEmpty else { return 0 }
      var end = Self.end(of: keys, from: 0)
      do throws(StorageError) {
        if end == keys.count {
          return try protected([try removal(model, keys[...])]) { (results) throws(StorageError) in
            try removed(model, keys[...], results[0])
          }
        }
        return try atomically { () throws(StorageError) in
          var (start, count) = (0, 0)
          while start < keys.count {
            let part = keys[start..<end]
            count += try removed(model, part, try query(try removal(model, part)))
            start = end
            end = Self.end(of: keys, from: start)
          }
          return count
        }
      } catch {
        throw described(error, model.table)
      }
    }

    private func removed(
      _ model: PostgreSQLModel, _ keys: ArraySlice<Key>, _ result: PostgreSQLResult
    ) throws(StorageError) -> Int {
      let count = result.changes
      try checkRemoved(model, keys, count: count)
      return count
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
      if keys.count == 1, let key = keys.first {
        try key.bytes.withBytes { (key) throws(StorageError) in try model.rowWriter.add(key: key, to: &parameters) }
        return PostgreSQLStatement(model.table.deleteSQL, parameters)
      }
      try model.rowWriter.add(keys, to: &parameters)
      return PostgreSQLStatement(model.table.deleteManySQL, parameters)
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
        count = try changeAll(PostgreSQLStatement(sql, parameters), of: selection, model)
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
