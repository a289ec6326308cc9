import QuarryBackend

/// The models of a schema on one connection, with their statements.
final class SQLiteModels {
  let state: SQLiteSchemaState
  @exclusivity(unchecked) private var models: [SQLiteModel?]

  init(_ state: SQLiteSchemaState) {
    self.state = state
    models = Array(repeating: nil, count: state.tables.count)
  }

  /// - Throws: `schemaMismatch` when the schema of the transaction has no such model.
  @inline(__always)
  func model(_ id: ModelID) throws(StorageError) -> SQLiteModel {
    let index = Int(id.rawValue)
    if index < models.count, let model = models[index] { return model }
    return try make(id)
  }

  /// Finalizes every statement; they are prepared again when they are needed.
  func finalizeStatements() {
    for model in models { model?.finalizeStatements() }
  }

  @inline(never)
  private func make(_ id: ModelID) throws(StorageError) -> SQLiteModel {
    let index = Int(id.rawValue)
    guard index < models.count, let table = state.tables[index] else {
      throw StorageError(.schemaMismatch, "the store has no model with the number \(id)")
    }
    let model = SQLiteModel(table)
    models[index] = model
    return model
  }
}
