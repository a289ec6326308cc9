import Foundation
import QuarryBackend
import Synchronization

/// The models of the log in one version of a store's schema.
final class HistoryModels: Sendable {
  /// The version of the schema.
  let schemaVersion: UInt64
  let log: HistoryModel
  let state: HistoryModel
  let schemas: HistoryModel
  let readers: HistoryModel
  /// All models that Quarry stores for itself.
  let own: Set<ModelID>

  /// Nil for a schema without a log.
  init?(_ schema: Schema) {
    func model(_ declared: ModelSchema) -> HistoryModel? {
      schema.model(named: declared.name).flatMap { $0.isOfHistory ? HistoryModel($0) : nil }
    }
    guard let log = model(InternalModel.log), let state = model(InternalModel.history),
      let schemas = model(InternalModel.logSchemas), let readers = model(InternalModel.logReaders)
    else { return nil }
    schemaVersion = schema.version
    (self.log, self.state, self.schemas, self.readers) = (log, state, schemas, readers)
    own = Set(schema.models.filter(\.isInternal).map(\.id))
  }
}

/// One of the models of the log: its rows as values in the order of its properties.
final class HistoryModel: Sendable {
  let schema: ModelSchema
  private let layout: RowLayout
  private let spare = Mutex<HistoryRowWriter?>(nil)
  var id: ModelID { schema.id }

  /// The bytes that a writer which is kept may have.
  private static let mostRoom = 64 << 10

  init(_ schema: ModelSchema) {
    self.schema = schema
    layout = RowLayout(schema)
  }

  func insert(_ rows: [[Value]], in transaction: any BackendWriteTransaction) throws(StorageError) {
    try transaction.insert(id, try batch(rows))
  }

  func upsert(_ values: [Value], in transaction: any BackendWriteTransaction) throws(StorageError) {
    _ = try transaction.upsert(id, try batch([values]), .replace)
  }

  private func batch(_ rows: [[Value]]) throws(StorageError) -> RowBatch {
    let writer = RowWriter(layout)
    var batch = RowBatch()
    for values in rows {
      writer.begin()
      for (slot, value) in values.enumerated() { try writer.set(layout.slots[slot], value: value) }
      batch.append(try writer.finish())
    }
    return batch
  }

  /// A writer of rows for the caller alone, who may give it back.
  func writer() -> HistoryRowWriter {
    let kept = spare.withLock { spare in
      defer { spare = nil }
      return spare
    }
    return kept ?? HistoryRowWriter(layout)
  }

  /// Keeps a writer for the next row: to allocate one takes longer than to write a row.
  func giveBack(_ writer: HistoryRowWriter) {
    // One that has had a large row keeps its memory no longer.
    guard writer.room <= Self.mostRoom else { return }
    writer.rows.removeAll()
    spare.withLock { $0 = writer }
  }

  /// Calls the body with the row of a number, where there is one.
  func withRow<R>(
    _ number: Int64, in transaction: any BackendReadTransaction, _ body: (HistoryRowReader) throws(StorageError) -> R
  ) throws(StorageError) -> R? {
    try number.withKeyBytes { (key) throws(StorageError) -> R? in
      guard let row = try transaction.row(id, key) else { return nil }
      return try body(HistoryRowReader(row: RowView(row, layout), layout: layout))
    }
  }

  /// The values of a row; of slots that were not read nil.
  func values(_ row: UnsafeRawBufferPointer) throws(StorageError) -> [Value] {
    try ReadTransaction.values(row, Array(schema.properties.indices), layout, schema)
  }

  func find(_ key: Value, in transaction: any BackendReadTransaction) throws(StorageError) -> [Value]? {
    try Key.primary(key, schema).bytes.withBytes { (key) throws(StorageError) -> [Value]? in
      try transaction.row(id, key).map { (row) throws(StorageError) in try values(row) }
    }
  }

  /// Calls the body with the values of each row after a key, in the order of keys, until it returns false.
  func forEach(
    after key: Value? = nil, limit: Int? = nil, slots: [Int]? = nil, in transaction: any BackendReadTransaction,
    _ body: ([Value]) throws(StorageError) -> Bool
  ) throws(StorageError) {
    var query = BoundQuery(everyRowOf: schema)
    if let key { query.predicate = .compare(slot: schema.primaryKey, .greater, key) }
    query.limit = limit
    query.projection = slots
    try transaction.cursor(query).forEach { row throws(StorageError) in
      guard let slots else { return try body(values(row)) }
      return try body(ReadTransaction.values(row, slots, layout, schema))
    }
  }
}

/// Writes rows of the log, property by property.
///
/// Unchecked because one caller at a time has it.
final class HistoryRowWriter: @unchecked Sendable {
  private let layout: RowLayout
  private let writer: RowWriter
  /// The rows that one call inserts.
  var rows = RowBatch()

  init(_ layout: RowLayout) {
    self.layout = layout
    writer = RowWriter(layout)
  }

  func begin() { writer.begin() }
  func set(_ slot: Int, _ number: Int64) { writer.set(layout.slots[slot], number.littleEndian) }
  func set(_ slot: Int, _ flag: Bool) { writer.set(layout.slots[slot], flag ? 1 : 0 as UInt8) }
  func set(_ slot: Int, bytes: UnsafeRawBufferPointer) { writer.set(layout.slots[slot], bytes: bytes) }

  /// Sets a slot to bytes that the body writes into the row.
  func set(_ slot: Int, count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    writer.set(layout.slots[slot], count: count, body)
  }

  /// The bytes that it has room for.
  var room: Int { max(writer.room, rows.byteCount) }

  /// The row, valid until the next one.
  func finish() throws(StorageError) -> UnsafeRawBufferPointer { try writer.finish() }
}

/// Reads a row of the log, property by property.
struct HistoryRowReader {
  fileprivate let row: RowView
  fileprivate let layout: RowLayout

  private func slot(_ slot: Int) throws(StorageError) -> RowLayout.Slot {
    let slot = layout.slots[slot]
    guard !row.isAbsent(slot), !row.isNull(slot) else { throw .damagedLog }
    return slot
  }

  func integer(_ place: Int) throws(StorageError) -> Int64 { Int64(littleEndian: row.load(try slot(place))) }
  func bytes(_ place: Int) throws(StorageError) -> UnsafeRawBufferPointer { try row.bytes(slot(place)) }
}

extension [Value] {
  /// The integer at a place of a row of the log.
  ///
  /// - Throws: `corrupt` for anything else.
  func integer(_ place: Int) throws(StorageError) -> Int64 {
    guard place < count, case .int(let number) = self[place] else { throw .damagedLog }
    return number
  }

  func bool(_ place: Int) throws(StorageError) -> Bool {
    guard place < count, case .bool(let value) = self[place] else { throw .damagedLog }
    return value
  }

  func text(_ place: Int) throws(StorageError) -> String {
    guard place < count, case .string(let text) = self[place] else { throw .damagedLog }
    return text
  }

  func data(_ place: Int) throws(StorageError) -> Data {
    guard place < count, case .data(let data) = self[place] else { throw .damagedLog }
    return data
  }
}

extension StorageError {
  static var damagedLog: StorageError { StorageError(.corrupt, "the log of change sets cannot be read") }

  static var noHistory: StorageError {
    StorageError(.notFound, "the store keeps no history: open it with OpenOptions.history = .on()")
  }
}
