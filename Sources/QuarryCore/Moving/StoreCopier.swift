import QuarryBackend

/// Copies the models of one state of a store, with their rows, into a store without any.
struct StoreCopier {
  let source: any BackendReadTransaction
  let target: any Backend

  /// Copies everything: one transaction for each model, the indexes after the rows, and the version at the end.
  func run() throws(StorageError) {
    for model in source.schema.models {
      try write { writer throws(StorageError) in
        var made = ModelSchema(
          name: model.name, properties: model.liveSlots.map { model.properties[$0] },
          primaryKey: Self.place(model.primaryKey, model))
        try writer.apply(.createModel(made))
        made = writer.engine.schema.model(named: model.name) ?? made
        try copy(model, to: made, writer)
        for index in model.indexes {
          var placed = index
          for column in index.columns.indices {
            placed.columns[column].slot = Self.place(index.columns[column].slot, model)
          }
          try writer.apply(.createIndex(made.id, placed))
        }
      }
    }
    guard let version = source.schema.programVersion else { return }
    try write { writer throws(StorageError) in try writer.apply(.setProgramVersion(version)) }
  }

  /// The slot that a property has where no dropped ones are before it.
  private static func place(_ slot: Int, _ model: ModelSchema) -> Int {
    slot - model.properties[..<slot].count { $0.isDropped }
  }

  private func write(_ body: (EngineWriter) throws(StorageError) -> Void) throws(StorageError) {
    let transaction = try target.beginWrite(WriteOptions())
    do throws(StorageError) {
      let writer = EngineWriter(transaction)
      try body(writer)
      _ = try writer.commit()
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private func copy(_ model: ModelSchema, to made: ModelSchema, _ writer: EngineWriter) throws(StorageError) {
    let (old, new) = (RowLayout(model), RowLayout(made))
    let row = RowWriter(new)
    let slots = model.liveSlots
    var batch = RowBatch()
    do throws(StorageError) {
      try source.cursor(BoundQuery(everyRowOf: model)).forEach { bytes throws(StorageError) in
        let view = try RowView(bytes, old)
        row.begin()
        for (place, slot) in slots.enumerated() {
          try row.copy(new.slots[place], from: view, at: old.slots[slot], old)
        }
        batch.append(try row.finish())
        if batch.byteCount >= Inserter.batchBytes {
          try writer.insert(made.id, batch)
          batch.removeAll()
        }
        return true
      }
      try writer.insert(made.id, batch)
    } catch {
      throw error.with(model: model.name)
    }
  }
}
