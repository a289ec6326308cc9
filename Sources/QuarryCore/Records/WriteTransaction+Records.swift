public import QuarryBackend
import QuarryQuery

extension WriteTransaction {
  /// Changes the stored schema. Models that the store was opened for must stay as they are.
  ///
  /// - Throws: `iterationActive` while a cursor is open in the transaction, `reentrant` inside another call that writes.
  public func apply(_ change: SchemaChange) throws(StorageError) {
    try check()
    try checkSchemaChange()
    try change.requireOfProgram()
    try context.manifest.require(change.capability)
    try writer.apply(change)
    hasNewSchema = true
    if !checksReferencesLate { references = ReferenceMap(backend.schema) }
  }

  func encode(_ records: some Sequence<Record>, _ model: ModelSchema) throws(StorageError) -> RowBatch {
    let rows = RecordRows(model)
    var batch = RowBatch()
    for record in records {
      let row = try rows.row(record)
      try context.limits.check(row, rows.layout, model)
      batch.append(row)
    }
    return batch
  }
}

/// What the names of a record mean in a model.
struct RecordShape {
  let names: RecordNames
  /// The slot of each field.
  let slots: [Int]
  /// The slots that the record leaves out.
  let missing: [Int]

  init(_ record: Record, _ model: ModelSchema) throws(StorageError) {
    let binder = QueryBinder(model)
    names = record.names
    var slots: [Int] = []
    for name in names.list {
      do throws(StorageError) {
        slots.append(try binder.slot(name.string))
      } catch {
        throw error.with(model: model.name)
      }
    }
    self.slots = slots
    missing = model.liveSlots.filter { !slots.contains($0) }
  }
}

extension WriteLimits {
  func check(_ row: UnsafeRawBufferPointer, _ layout: RowLayout, _ model: ModelSchema) throws(StorageError) {
    if row.count > rowBytes {
      throw .limitExceeded("bytes of a row", limit: rowBytes, actual: row.count, model: model.name)
    }
    guard keyBytes != .max else { return }
    let count = try Key.primary(RowView(row, layout).value(layout.keySlot, layout), model).bytes.count
    if count > keyBytes {
      throw .limitExceeded(
        "bytes of a primary key", limit: keyBytes, actual: count, model: model.name, property: model.keyProperty.name)
    }
  }
}
