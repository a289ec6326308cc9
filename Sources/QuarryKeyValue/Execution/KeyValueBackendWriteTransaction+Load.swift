package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  package func load(
    _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    let state = try tables()
    let table = try state.table(model)
    // Only a rollback can follow a throw: what was written before is not noted.
    try writing { () throws(StorageError) in
      var batch = RowBatch()
      try next(&batch)
      guard batch.count > 0 else { return }
      self.state.willWrite(model)
      guard try trees.count(table.tree, .all) == 0 else {
        while batch.count > 0 {
          try insert(model, batch)
          batch.removeAll()
          try next(&batch)
        }
        return
      }
      // Concurrent readers find a model without indexes.
      let bare = SchemaState(state.schema.withoutIndexes(of: model))
      schemaState = bare
      while batch.count > 0 {
        try add(batch, table)
        batch.removeAll()
        try next(&batch)
      }
      for index in table.indexes {
        do throws(StorageError) {
          try fill(index, table)
        } catch {
          guard error.code == .uniqueViolation else { throw error }
          throw UniqueClash.describe(index.schema, try bare.table(model).model, in: self, error)
        }
      }
      schemaState = state
    }
  }

  /// Adds rows to the tree of the table alone.
  private func add(_ rows: borrowing RowBatch, _ table: Table) throws(StorageError) {
    try rows.forEach { (_, row) throws(StorageError) in
      let view = try RowView(row, table.layout)
      if store.hasLimits { try checkLimits(view, row, table) }
      let key = try entries.primaryKey(view, table)
      guard try trees.insert(table.tree, key, row) else { throw .duplicateKey(key, table) }
    }
  }
}

extension Schema {
  fileprivate func withoutIndexes(of id: ModelID) -> Schema {
    var result = self
    if let place = result.models.firstIndex(where: { $0.id == id }) { result.models[place].indexes = [] }
    return result
  }
}
