import QuarryBackend
import QuarryQuery

extension WriteTransaction {
  func encode(
    _ records: [Record], updating updated: [Int], _ model: ModelSchema
  ) throws(StorageError) -> RowBatch {
    let rows = RecordRows(model)
    var batch = RowBatch()
    for record in records {
      let shape = try RecordShape(record, model)
      if let slot = updated.first(where: { !shape.slots.contains($0) }) {
        throw StorageError(
          .missingValue, "the record lacks the property that it should replace", model: model.name,
          property: model.properties[slot].name)
      }
      rows.writer.begin()
      for (slot, value) in zip(shape.slots, record.values) { try rows.set(slot, value) }
      try rows.setKey(shape, record)
      try complete(rows, record, shape)
      let row = try rows.writer.finish()
      try context.limits.check(row, rows.layout, model)
      batch.append(row)
    }
    return batch
  }

  /// Sets the properties that a record leaves out: to the stored value where nothing else fits, else to the default, or nil.
  private func complete(
    _ rows: RecordRows, _ record: Record, _ shape: RecordShape
  ) throws(StorageError) {
    let (model, layout) = (rows.model, rows.layout)
    let required = shape.missing.filter {
      !model.properties[$0].isOptional && model.properties[$0].defaultValue == nil
    }
    var isStored = false
    if !required.isEmpty, let key = shape.key(of: record, model) {
      isStored = try primaryKey(key, model).bytes.withBytes { key throws(StorageError) in
        guard let stored = try backend.row(model.id, key) else { return false }
        let view = try RowView(stored, layout)
        for slot in required { try rows.writer.copy(layout.slots[slot], from: view, layout) }
        return true
      }
    }
    for slot in shape.missing where !isStored || !required.contains(slot) {
      try rows.setDefault(slot)
    }
  }
}
