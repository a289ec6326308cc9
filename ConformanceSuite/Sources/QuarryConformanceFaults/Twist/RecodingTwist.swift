import QuarryBackend

/// Takes every row apart and puts it together before it is stored: for faults of values. Without a fault it has to pass
/// every case.
struct RecodingTwist: Twist {
  private let fault: ValueFault?

  init(_ fault: ValueFault? = nil) {
    self.fault = fault
  }

  private func changed(
    _ row: UnsafeRawBufferPointer, _ coding: RowCoding
  ) throws(StorageError) -> Row {
    var values = try coding.values(row)
    for (slot, property) in coding.model.properties.enumerated() where slot != coding.model.primaryKey {
      values[slot] = fault?.changed(values[slot], property) ?? values[slot]
    }
    return try coding.row(values)
  }

  private func changed(
    _ rows: borrowing RowBatch, _ tx: Writer, _ model: ModelID
  ) throws(StorageError) -> RowBatch {
    let coding = try RowCoding(tx.schema, model)
    var changed: [Row] = []
    try rows.forEach { _, row throws(StorageError) in changed.append(try self.changed(row, coding)) }
    return RowBatch(changed)
  }

  func insert(_ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try tx.insert(model, changed(rows, tx, model))
  }

  func upsert(
    _ tx: Writer, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy
  ) throws(StorageError) -> Int {
    try tx.upsert(model, changed(rows, tx, model), policy)
  }

  func getOrInsert(
    _ tx: Writer, _ model: ModelID, _ row: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try changed(row, RowCoding(tx.schema, model)).lend { (row) throws(StorageError) in try tx.getOrInsert(model, row) }
  }

  func update(_ tx: Writer, _ update: RowUpdate) throws(StorageError) {
    let coding = try RowCoding(tx.schema, update.model)
    let row =
      if let slots = update.slots {
        try coding.row(update.row, slots) { fault?.changed($1, coding.model.properties[$0]) ?? $1 }
      } else {
        try changed(update.row, coding)
      }
    try row.lend { (row) throws(StorageError) in
      var changed = update
      changed.row = row
      try changed.run(tx)
    }
  }
}
