import Foundation
import QuarryBackend
import QuarryCore

/// The rows of `_quarry_sync`: byte strings by byte strings. A key of one data property is its bytes (`docs/formats/key.md`).
struct SyncArea: Sendable {
  let schema: ModelSchema
  private let layout: RowLayout

  /// Nil for a store that is not synced.
  init?(_ schema: Schema) {
    guard let model = schema.model(named: InternalModel.sync.name), model.isOfSync else { return nil }
    self.schema = model
    layout = RowLayout(model)
  }

  func value(_ key: [UInt8], in transaction: any BackendReadTransaction) throws(StorageError) -> [UInt8]? {
    try withValue(key, in: transaction) { bytes throws(StorageError) in Array(bytes) }
  }

  /// Calls the body with a value; nil where there is none.
  func withValue<R>(
    _ key: [UInt8], in transaction: any BackendReadTransaction,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R? {
    try key.withBytes { (bytes) throws(StorageError) -> R? in
      guard let row = try transaction.row(schema.id, bytes) else { return nil }
      return try body(RowView(row, layout).bytes(layout.slots[1]))
    }
  }

  /// The values of some keys, asked for at once: a server is asked as often as for one.
  func values(
    _ keys: [[UInt8]], in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [[UInt8]?] {
    if keys.isEmpty { return [] }
    guard keys.count != 1 else { return [try value(keys[0], in: transaction)] }
    var values = [[UInt8]?](repeating: nil, count: keys.count)
    try transaction.rows(schema.id, keys.map { Key($0) }) { place, row throws(StorageError) in
      if let row { values[place] = Array(try RowView(row, layout).bytes(layout.slots[1])) }
    }
    return values
  }

  /// A row to store; without a value, to remove.
  typealias Row = (key: [UInt8], value: [UInt8]?)

  /// Stores rows, and removes those without a value.
  func put(_ rows: [Row], in transaction: any BackendWriteTransaction) throws(StorageError) {
    let writer = RowWriter(layout)
    var batch = RowBatch()
    var removed: [Key] = []
    for row in rows {
      guard let value = row.value else {
        removed.append(Key(row.key))
        continue
      }
      writer.begin()
      row.key.withBytes { writer.set(layout.slots[0], bytes: $0) }
      value.withBytes { writer.set(layout.slots[1], bytes: $0) }
      batch.append(try writer.finish())
    }
    if !removed.isEmpty { _ = try transaction.delete(schema.id, removed) }
    if batch.count > 0 { _ = try transaction.upsert(schema.id, batch, .replace) }
  }

  /// Calls the body with the rows whose keys begin with some bytes, in the order of keys, until it returns false.
  ///
  /// - Parameter first: The key to begin at; nil for the first.
  func forEach(
    _ prefix: [UInt8], from first: [UInt8]? = nil, in transaction: any BackendReadTransaction,
    _ body: ([UInt8], UnsafeRawBufferPointer) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var query = BoundQuery(everyRowOf: schema)
    query.predicate = .compare(slot: 0, .greaterOrEqual, .data(Data(first ?? prefix)))
    if let end = AreaKey.end(of: prefix) {
      query.predicate = .and([query.predicate, .compare(slot: 0, .less, .data(Data(end)))])
    }
    try transaction.cursor(query).forEach { row throws(StorageError) in
      let view = try RowView(row, layout)
      return try body(Array(view.bytes(layout.slots[0])), view.bytes(layout.slots[1]))
    }
  }
}
