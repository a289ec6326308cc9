import QuarryBackend

// What comes from a peer must fit before it is taken, also where it is not shown yet: held values that no row can have would
// stop every later merge that shows them.

extension StoredSchema {
  /// Refuses keys and values that no row of their model can have. Models and columns that this store does not have are passed
  /// over: SYNC-32.
  ///
  /// - Throws: `invalidValue`, `missingValue` or `limitExceeded` with the model.
  func check(_ changes: [ObjectChange]) throws(StorageError) {
    for change in changes {
      guard let table = tables[change.object.model], let model = sync.models[change.object.model] else { continue }
      try table.check(change, model)
    }
  }
}

extension RowTable {
  fileprivate func check(_ change: ObjectChange, _ model: SyncModel) throws(StorageError) {
    _ = try key(change.object)
    let writer = RowWriter(layout)
    for (birth, record) in change.births {
      for (slot, name) in columns {
        var values: [Value] = record.columns[name].map { [$0.value] } ?? []
        if model.column(name)?.rule == .set, let elements = record.sets[name]?.keys {
          values.append(.array(Array(elements)))
        }
        for value in values where !value.isNull {
          writer.begin()
          do throws(StorageError) {
            try writer.set(layout.slots[slot], value: value)
          } catch {
            throw error.with(model: schema.name, property: schema.properties[slot].name)
          }
        }
      }
      guard let whole = FlatObject(model, [birth: record]) else { continue }
      var batch = RowBatch()
      try append(change.object, whole.row, to: &batch)
    }
  }
}
