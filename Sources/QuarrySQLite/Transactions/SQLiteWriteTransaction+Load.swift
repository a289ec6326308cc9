import QuarryBackend

extension SQLiteWriteTransaction {
  func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    let model = try usableModel(model)
    do throws(StorageError) {
      try load(into: model, next)
    } catch {
      rollback()
      throw error
    }
  }

  /// Adds rows, to a table without rows before its indexes are there: SQLite makes them of sorted entries then.
  private func load(
    into model: SQLiteModel, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    let schema = model.table.model
    var batch = RowBatch()
    try next(&batch)
    guard batch.count > 0 else { return }
    hasChanged = true
    guard connection.leases.isEmpty,
      try connection.integer("SELECT 1 FROM \(model.table.name) LIMIT 1") == nil
    else {
      while batch.count > 0 {
        try insert(schema.id, batch)
        batch.removeAll()
        try next(&batch)
      }
      return
    }
    let change = SQLiteSchemaChange(connection: connection, old: self.schema, new: self.schema, columnLimit: .max)
    if !schema.indexes.isEmpty { connection.hasNewTables = true }
    for index in schema.indexes { try change.dropIndex(schema, index) }
    while batch.count > 0 {
      try checkSizes(model, batch)
      try insertAll(model, batch)
      batch.removeAll()
      try next(&batch)
    }
    for index in schema.indexes {
      do throws(StorageError) {
        try change.createIndex(schema, index)
      } catch {
        guard error.code == .uniqueViolation else { throw error }
        throw UniqueClash.describe(index, schema, in: self, error)
      }
    }
  }
}
