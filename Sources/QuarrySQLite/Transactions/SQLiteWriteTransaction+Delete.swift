import CSQLite
import QuarryBackend
import QuarrySQL

extension SQLiteWriteTransaction {
  func delete(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    let model = try usableModel(model)
    do throws(StorageError) {
      let count =
        keys.count == 1
        ? try remove(model, keys) : try atomically { () throws(StorageError) in try remove(model, keys) }
      if count > 0 { hasChanged = true }
      return count
    } catch {
      throw noted(error)
    }
  }

  private func remove(_ model: SQLiteModel, _ keys: [Key]) throws(StorageError) -> Int {
    let statement = try model.delete(connection)
    var count = 0
    for key in keys {
      try key.bytes.withBytes { (bytes) throws(StorageError) in
        try SQLiteColumnCodec.bind(key: bytes, model.table.keyPlace, statement, model.scratch)
        try statement.run()
      }
      count += connection.changes
    }
    return count
  }

  func delete(_ query: BoundQuery) throws(StorageError) -> Int {
    let model = try usableModel(query.model)
    do throws(StorageError) {
      let selection = try SQLSelection(query.predicate, model.table, in: models.state)
      let count: Int
      if selection.residual.isEmpty, query.limit == nil, query.offset == 0 {
        var values: [SQLConstant] = []
        let sql = "DELETE FROM \(model.table.name)\(selection.whereClause(&values))"
        let lease = try connection.lease(sql, values, selection.lists)
        defer { lease.end() }
        if let statement = lease.statement {
          while try statement.step() {}
        }
        count = connection.changes
      } else {
        let keys = try keys(query, model)
        count = try atomically { () throws(StorageError) in try remove(model, keys) }
      }
      if count > 0 { hasChanged = true }
      return count
    } catch {
      throw noted(error)
    }
  }

  /// The keys of a query's rows, fixed before the first change.
  private func keys(_ query: BoundQuery, _ model: SQLiteModel) throws(StorageError) -> [Key] {
    var narrow = query
    narrow.projection = []
    var keys: [Key] = []
    let writer = KeyWriter()
    let layout = model.table.layout
    try forEachRow(narrow) { (row) throws(StorageError) in
      writer.removeAll()
      try writer.append(
        try RowView(row, layout), model.table.key.slot, layout, isDescending: false, isLast: true)
      keys.append(writer.key)
    }
    return keys
  }
}
