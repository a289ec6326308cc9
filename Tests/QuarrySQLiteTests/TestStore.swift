import CSQLite
import Foundation
import QuarryBackend

@testable import QuarrySQLite

/// A directory of its own for a test, removed at the end.
final class TestDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "quarry-sqlite-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String = "store.db") -> String { path + "/" + name }

  var contents: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// A store in a directory of its own with one model.
final class TestStore {
  let directory: TestDirectory
  let backend: SQLiteBackend
  let path: String
  private(set) var schema: ModelSchema
  var layout: RowLayout
  var id: ModelID { schema.id }

  init(_ model: ModelSchema, options: OpenOptions = OpenOptions()) throws {
    directory = try TestDirectory()
    path = directory.file()
    // Without checksums, as a store is made that other programs write to, too.
    backend = try SQLiteBackend(SQLiteConfiguration(path: path, checksums: false), options)
    let transaction = try backend.beginWrite(WriteOptions())
    try transaction.apply(.createModel(model))
    schema = transaction.schema.models[0]
    _ = try transaction.commit()
    layout = RowLayout(schema)
  }

  func row(_ values: [Value]) throws -> Row {
    let writer = RowWriter(layout)
    writer.begin()
    for (slot, value) in zip(layout.slots, values) { try writer.set(slot, value: value) }
    return Row(copying: try writer.finish())
  }

  func values(_ row: Row) throws -> [Value] {
    try row.bytes.withUnsafeBytes { try Self.values($0, layout) }
  }

  static func values(_ bytes: UnsafeRawBufferPointer, _ layout: RowLayout) throws -> [Value] {
    let view = try RowView(bytes, layout)
    return try layout.slots.map { try view.value($0, layout) }
  }

  func batch(_ rows: [[Value]]) throws -> RowBatch {
    var batch = RowBatch()
    for values in rows { try row(values).bytes.withUnsafeBytes { batch.append($0) } }
    return batch
  }

  func key(_ value: Value) throws -> Key { try Key.primary(value, schema) }

  // MARK: One call, one transaction

  @discardableResult
  func write<R>(_ body: (SQLiteWriteTransaction) throws -> R) throws -> R {
    let transaction = try backend.beginWrite(WriteOptions()) as! SQLiteWriteTransaction
    do {
      let result = try body(transaction)
      _ = try transaction.commit()
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  func read<R>(_ body: (any BackendReadTransaction) throws -> R) throws -> R {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    return try body(transaction)
  }

  func insert(_ rows: [[Value]]) throws {
    let batch = try batch(rows)
    let transaction = try backend.beginWrite(WriteOptions())
    do {
      try transaction.insert(id, batch)
      _ = try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
  }

  func get(_ value: Value) throws -> [Value]? {
    let key = try key(value)
    return try read { transaction in
      try key.bytes.withUnsafeBytes { key in
        try transaction.row(id, key).map { try Self.values($0, layout) }
      }
    }
  }

  func query(
    _ predicate: BoundPredicate = .constant(true), order: [BoundSortKey]? = nil, limit: Int? = nil, offset: Int = 0
  ) -> BoundQuery {
    BoundQuery(
      model: id, predicate: predicate, order: order ?? [BoundSortKey(slot: schema.primaryKey)], limit: limit,
      offset: offset)
  }

  func fetch(_ query: BoundQuery) throws -> [[Value]] {
    try read { try Self.fetch($0, query, layout) }
  }

  static func fetch(
    _ transaction: any BackendReadTransaction, _ query: BoundQuery, _ layout: RowLayout, batch: Int = 7
  ) throws -> [[Value]] {
    let cursor = try transaction.cursor(query)
    defer { cursor.close() }
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: batch)
    rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { rows.deallocate() }
    var result: [[Value]] = []
    while true {
      let count = try cursor.fill(rows)
      if count == 0 { return result }
      for index in 0..<count { result.append(try values(rows[index], layout)) }
    }
  }

  // MARK: SQLite by itself

  /// The rows of a statement as a plain SQLite program sees them.
  @discardableResult
  func plain(_ sql: String) throws -> [[String?]] { try Self.plain(path, sql) }

  @discardableResult
  static func plain(_ path: String, _ sql: String) throws -> [[String?]] {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK, let database else { throw PlainError(message: "open") }
    var result: [[String?]] = []
    var rest = Array((sql + "\0").utf8)
    while true {
      var statement: OpaquePointer?
      var consumed = 0
      let code = rest.withUnsafeBytes { bytes -> Int32 in
        guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return SQLITE_ERROR }
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v2(database, start, -1, &statement, &tail)
        consumed = tail.map { $0 - start } ?? bytes.count
        return code
      }
      guard code == SQLITE_OK else { throw PlainError(message: String(cString: sqlite3_errmsg(database))) }
      guard let statement else { return result }
      defer { sqlite3_finalize(statement) }
      var step = sqlite3_step(statement)
      while step == SQLITE_ROW {
        result.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) }
          })
        step = sqlite3_step(statement)
      }
      guard step == SQLITE_DONE else { throw PlainError(message: String(cString: sqlite3_errmsg(database))) }
      rest.removeFirst(consumed)
    }
  }

  struct PlainError: Error { var message: String }
}

/// The models that tests use.
enum TestModel {
  /// A key and one property of each type, optional.
  static let everything = ModelSchema(
    name: "Everything",
    properties: [
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "flag", type: .bool, isOptional: true),
      PropertySchema(name: "i8", type: .int8, isOptional: true),
      PropertySchema(name: "i16", type: .int16, isOptional: true),
      PropertySchema(name: "i32", type: .int32, isOptional: true),
      PropertySchema(name: "i64", type: .int64, isOptional: true),
      PropertySchema(name: "u8", type: .uint8, isOptional: true),
      PropertySchema(name: "u16", type: .uint16, isOptional: true),
      PropertySchema(name: "u32", type: .uint32, isOptional: true),
      PropertySchema(name: "u64", type: .uint64, isOptional: true),
      PropertySchema(name: "f", type: .float, isOptional: true),
      PropertySchema(name: "d", type: .double, isOptional: true),
      PropertySchema(name: "s", type: .string, isOptional: true),
      PropertySchema(name: "when", type: .date, isOptional: true),
      PropertySchema(name: "bytes", type: .data, isOptional: true),
      PropertySchema(name: "uuid", type: .uuid, isOptional: true),
      PropertySchema(name: "price", type: .decimal, isOptional: true),
      PropertySchema(name: "link", type: .url, isOptional: true),
      PropertySchema(name: "nest", type: .nested, isOptional: true),
      PropertySchema(name: "tags", type: .array, isOptional: true, elementType: .string),
    ], primaryKey: 0)

  static let book = ModelSchema(
    name: "Book",
    properties: [
      PropertySchema(name: "id", type: .uuid),
      PropertySchema(name: "isbn", type: .string),
      PropertySchema(name: "year", type: .int64),
      PropertySchema(name: "price", type: .decimal, isOptional: true),
      PropertySchema(name: "score", type: .double, defaultValue: .double(0.5)),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "isbn", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "year", columns: [.init(slot: 2)]),
      IndexSchema(name: "price", columns: [.init(slot: 3, isDescending: true)]),
    ])

  /// An integer key, a unique optional number, an indexed number.
  static let item = ModelSchema(
    name: "Item",
    properties: [
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "rank", type: .int64, isOptional: true),
      PropertySchema(name: "count", type: .int32, isOptional: true),
      PropertySchema(name: "score", type: .double),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "rank", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "count", columns: [.init(slot: 2)]),
    ])
}
