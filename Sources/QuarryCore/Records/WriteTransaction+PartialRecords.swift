public import QuarryBackend
import QuarryQuery

extension WriteTransaction {
  /// Adds objects given as records, or, where there is one with the primary key, replaces only these properties of it:
  /// all of them, or none when it throws.
  ///
  /// A record may leave other properties out: those of an object that is there stay, a new one has their defaults, or nil.
  ///
  /// - Parameter names: The properties to replace, which every record has.
  /// - Returns: How many were added.
  /// - Throws: `missingValue` where a record lacks one of the properties, or a new object one that is not optional and has
  ///   no default; `invalidQuery` for an unknown name; as ``upsertRecords(into:_:)``.
  @discardableResult
  public func upsertRecords(
    into model: String, _ records: some Sequence<Record>, updating names: [String]
  ) throws(StorageError) -> Int {
    let model = try self.model(named: model)
    try checkWrite(model.id)
    let binder = QueryBinder(model)
    var updated: [Int] = []
    for name in names {
      updated.append(try describing(model) { () throws(StorageError) in try binder.slot(name) })
    }
    return try statement { () throws(StorageError) in
      // All are taken before what is stored is looked at: the sequence may write.
      let records = Array(records)
      try checkUse(model.id)
      let batch = try encode(records, updating: updated, model)
      return try upsertRows(model.id, batch, .merge(slots: updated))
    }
  }

  private func encode(
    _ records: [Record], updating updated: [Int], _ model: ModelSchema
  ) throws(StorageError) -> RowBatch {
    let rows = RecordRows(model)
    var batch = RowBatch()
    for record in records {
      let shape = try RecordShape(record, model)
      if let slot = updated.first(where: { !shape.slots.contains($0) }) {
        throw StorageError(
          .missingValue, "the record does not have the property that it is to replace", model: model.name,
          property: model.properties[slot].name)
      }
      rows.writer.begin()
      for (slot, value) in zip(shape.slots, record.values) { try rows.set(slot, value) }
      try complete(rows, record, shape)
      let row = try rows.writer.finish()
      try store.limits.check(row, rows.layout, model)
      batch.append(row)
    }
    return batch
  }

  /// Sets what a record leaves out: to what is stored where nothing else would do, else to the default, or nil.
  private func complete(
    _ rows: RecordRows, _ record: Record, _ shape: RecordShape
  ) throws(StorageError) {
    let (model, layout) = (rows.model, rows.layout)
    let required = shape.missing.filter {
      !model.properties[$0].isOptional && model.properties[$0].defaultValue == nil
    }
    var isStored = false
    if !required.isEmpty, let place = shape.slots.firstIndex(of: model.primaryKey) {
      isStored = try primaryKey(record.values[place], model).bytes.withBytes { key throws(StorageError) in
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
