import QuarryBackend

/// Takes rows of one model apart and puts them together.
struct RowCoding {
  let model: ModelSchema
  private let layout: RowLayout

  init(_ schema: Schema, _ id: ModelID) throws(StorageError) {
    guard let model = schema.model(id: id) else { throw StorageError(.schemaMismatch, "there is no model \(id)") }
    self.model = model
    layout = RowLayout(model)
  }

  /// A value for each slot.
  func values(_ row: UnsafeRawBufferPointer) throws(StorageError) -> [Value] {
    let view = try RowView(row, layout)
    var values: [Value] = []
    for slot in layout.slots { values.append(slot.isLive ? try view.value(slot, layout) : .null) }
    return values
  }

  func row(_ values: [Value]) throws(StorageError) -> Row {
    let writer = RowWriter(layout)
    writer.begin()
    for (slot, value) in zip(layout.slots, values) { try writer.set(slot, value: value) }
    return Row(copying: try writer.finish())
  }

  /// The row with other values in these slots. The others are as they are: of an update they may be null, whatever their
  /// property.
  func row(
    _ row: UnsafeRawBufferPointer, _ slots: [Int], _ change: (Int, Value) -> Value
  ) throws(StorageError) -> Row {
    let view = try RowView(row, layout)
    let writer = RowWriter(layout)
    writer.begin()
    for (number, slot) in layout.slots.enumerated() {
      if slots.contains(number) {
        try writer.set(slot, value: change(number, view.value(slot, layout)))
      } else if !view.isAbsent(slot), !view.isNull(slot) {
        try writer.copy(slot, from: view, layout)
      }
    }
    return Row(copying: try writer.finish())
  }

  func key(_ values: [Value]) throws(StorageError) -> Key { try Key.primary(values[model.primaryKey], model) }
}

extension Row {
  /// Lends the bytes.
  func lend<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try bytes.withBytes(body)
  }
}

extension RowBatch {
  init(_ rows: [Row]) {
    self.init()
    for row in rows { row.bytes.withUnsafeBytes { append($0) } }
  }
}

extension BackendReadTransaction {
  /// Copies of all rows of a query.
  func copies(_ query: BoundQuery) throws(StorageError) -> [Row] {
    let cursor = try cursor(query)
    defer { cursor.close() }
    let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
    defer { batch.deallocate() }
    var rows: [Row] = []
    while true {
      let count = try cursor.fill(batch)
      guard count > 0 else { return rows }
      for place in 0..<count { rows.append(Row(copying: batch[place])) }
    }
  }

  /// Copies of all rows of a model, in the order of their keys.
  func copies(_ model: ModelSchema) throws(StorageError) -> [Row] {
    try copies(BoundQuery(model: model.id, order: [BoundSortKey(slot: model.primaryKey)]))
  }
}

/// Gives rows that it keeps.
final class RowsCursor: RowCursor {
  private let transaction: any BackendReadTransaction
  private let rows: [UnsafeMutableRawBufferPointer]
  private var place = 0

  init(_ transaction: any BackendReadTransaction, _ rows: [Row]) {
    self.transaction = transaction
    self.rows = rows.map { row in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: row.bytes.count, alignment: 16)
      copy.copyBytes(from: row.bytes)
      return copy
    }
  }

  deinit {
    for row in rows { row.deallocate() }
  }

  func fill(_ target: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    // Throws when the transaction or the store has ended.
    _ = try transaction.version()
    let count = min(target.count, rows.count - place)
    for index in 0..<count { target[index] = UnsafeRawBufferPointer(rows[place + index]) }
    place += count
    return count
  }

  func close() { place = rows.count }
}
