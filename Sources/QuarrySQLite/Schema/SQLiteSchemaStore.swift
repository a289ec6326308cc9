import CSQLite
import Foundation
import QuarryBackend

/// The tables in which Quarry keeps what it knows of the store: the schema and the number of the last commit.
enum SQLiteSchemaStore {
  /// `Qrry`, in the header of the file.
  static let applicationID: UInt32 = 0x5172_7279
  /// The format of the tables and columns, the `user_version` in the header.
  static let format: UInt32 = 1

  /// Both numbers that a transaction needs at its beginning. The first reading statement also fixes what it sees.
  static let stateSQL = #"SELECT "version", "schema" FROM "_quarry_commit" WHERE "id" = 1"#
  static let raiseSQL = #"UPDATE "_quarry_commit" SET "version" = ?1 WHERE "id" = 1"#

  /// Makes the tables in an empty database.
  static func create(_ connection: SQLiteConnection) throws(StorageError) {
    try connection.run("PRAGMA application_id = \(applicationID)")
    try connection.run("PRAGMA user_version = \(format)")
    try connection.run(
      #"CREATE TABLE "_quarry_commit" ("id" INTEGER PRIMARY KEY CHECK ("id" = 1), "version" INTEGER NOT NULL, "#
        + #""schema" INTEGER NOT NULL) STRICT"#)
    try connection.run(
      #"CREATE TABLE "_quarry_schema" ("id" INTEGER PRIMARY KEY CHECK ("id" = 1), "json" TEXT NOT NULL) STRICT"#)
    try connection.run(#"INSERT INTO "_quarry_commit" VALUES (1, 0, 0)"#)
    try connection.runKept(
      #"INSERT INTO "_quarry_schema" VALUES (1, ?1)"#, [.text(try codec.encode(Schema()))])
  }

  /// The text of a schema without a model, which every store begins with.
  private static let emptySchema: [UInt8]? = try? codec.encode(Schema())

  /// Stores a changed schema.
  static func save(_ schema: Schema, _ connection: SQLiteConnection) throws(StorageError) {
    try connection.runKept(
      #"UPDATE "_quarry_schema" SET "json" = ?1 WHERE "id" = 1"#, [.text(try codec.encode(schema))])
    try connection.runKept(
      #"UPDATE "_quarry_commit" SET "schema" = ?1 WHERE "id" = 1"#,
      [.integer(Int64(bitPattern: schema.version))])
  }

  private static let codec = SchemaCodec(escapesSlashes: false) { format in
    "the schema has format \(format), and this version knows formats to \(Schema.currentFormat)"
  }

  /// Reads the schema of the state that the connection's transaction sees.
  ///
  /// - Throws: `schemaTooNew`, `corrupt`.
  static func load(_ connection: SQLiteConnection) throws(StorageError) -> Schema {
    let statement = try connection.lease(#"SELECT "json" FROM "_quarry_schema" WHERE "id" = 1"#)
    defer { connection.giveBack(statement) }
    guard try statement.step(), statement.type(0) == SQLITE_TEXT else {
      throw StorageError(.corrupt, "the store has no schema")
    }
    if let emptySchema, statement.bytes(0).elementsEqual(emptySchema) { return Schema() }
    return try codec.decode(Data(statement.bytes(0)))
  }
}

/// A schema with the tables of its models: made once, and shared by all connections that see it.
final class SQLiteSchemaState: Sendable {
  let schema: Schema
  /// By the numbers of the models, which are small.
  let tables: [SQLiteTable?]

  init(_ schema: Schema) throws(StorageError) {
    self.schema = schema
    let count = Int(schema.models.map(\.id.rawValue).max() ?? 0) + 1
    // Each model and index has taken one number, so that a greater one is damage and not worth the memory.
    guard count <= 10_000_000 else { throw StorageError(.corrupt, "the stored schema has impossible numbers") }
    var tables = [SQLiteTable?](repeating: nil, count: count)
    for model in schema.models { tables[Int(model.id.rawValue)] = try SQLiteTable(model) }
    self.tables = tables
  }
}

/// The models of a schema on one connection, with their statements.
final class SQLiteModels {
  let state: SQLiteSchemaState
  @exclusivity(unchecked) private var models: [SQLiteModel?]

  init(_ state: SQLiteSchemaState) {
    self.state = state
    models = Array(repeating: nil, count: state.tables.count)
  }

  /// - Throws: `schemaMismatch` when the schema of the transaction has no such model.
  @inline(__always)
  func model(_ id: ModelID) throws(StorageError) -> SQLiteModel {
    let index = Int(id.rawValue)
    if index < models.count, let model = models[index] { return model }
    return try make(id)
  }

  /// Finalizes every statement; they are prepared again when they are needed.
  func finalizeStatements() {
    for model in models { model?.finalizeStatements() }
  }

  @inline(never)
  private func make(_ id: ModelID) throws(StorageError) -> SQLiteModel {
    let index = Int(id.rawValue)
    guard index < models.count, let table = state.tables[index] else {
      throw StorageError(.schemaMismatch, "the store has no model with the number \(id)")
    }
    let model = SQLiteModel(table)
    models[index] = model
    return model
  }
}

/// What one connection keeps for a model: statements that are ready, and memory that is reused.
///
/// Unchecked exclusivity, here and in the classes that move rows: one thread at a time uses a connection, no access
/// spans a call that could make another, and the check costs more than the access.
final class SQLiteModel {
  let table: SQLiteTable
  let writer: RowWriter
  let scratch = RowScratch()
  @exclusivity(unchecked) var getStatement: SQLiteStatement?
  @exclusivity(unchecked) var existsStatement: SQLiteStatement?
  @exclusivity(unchecked) var insertStatement: SQLiteStatement?
  @exclusivity(unchecked) var addStatement: SQLiteStatement?
  @exclusivity(unchecked) var replaceStatement: SQLiteStatement?
  @exclusivity(unchecked) var deleteStatement: SQLiteStatement?
  /// How many statements that write some slots are kept.
  private static let keptUpdates = 8
  /// Statements that write some slots of a row, the one that was used last at the end.
  @exclusivity(unchecked) private var updates: [SQLiteSlotUpdate] = []
  /// How often SQLite had prepared the get statement again when it was last looked at.
  var getReprepares: Int32 = 0

  init(_ table: SQLiteTable) {
    self.table = table
    writer = RowWriter(table.layout)
  }

  func finalizeStatements() {
    getStatement = nil
    existsStatement = nil
    insertStatement = nil
    addStatement = nil
    replaceStatement = nil
    deleteStatement = nil
    updates = []
  }

  @inline(__always)
  func get(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let getStatement { return getStatement }
    let statement = try connection.prepare(table.getSQL)
    getStatement = statement
    getReprepares = 0
    return statement
  }

  @inline(__always)
  func exists(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let existsStatement { return existsStatement }
    let statement = try connection.prepare(table.existsSQL)
    existsStatement = statement
    return statement
  }

  @inline(__always)
  func insert(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let insertStatement { return insertStatement }
    let statement = try connection.prepare(table.insertSQL)
    insertStatement = statement
    return statement
  }

  func add(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let addStatement { return addStatement }
    let statement = try connection.prepare(table.addSQL)
    addStatement = statement
    return statement
  }

  func replace(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let replaceStatement { return replaceStatement }
    let statement = try connection.prepare(table.replaceSQL)
    replaceStatement = statement
    return statement
  }

  /// What writes these slots of a row.
  func update(_ slots: [Int], _ connection: SQLiteConnection) throws(StorageError) -> SQLiteSlotUpdate {
    if let last = updates.last, last.slots == slots { return last }
    if let place = updates.firstIndex(where: { $0.slots == slots }) {
      updates.swapAt(place, updates.endIndex - 1)
      return updates[updates.endIndex - 1]
    }
    let (sql, plan) = try table.update(slots)
    let update = SQLiteSlotUpdate(slots, try connection.prepare(sql), plan)
    if updates.count == Self.keptUpdates { updates.removeFirst() }
    updates.append(update)
    return update
  }

  func delete(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let deleteStatement { return deleteStatement }
    let statement = try connection.prepare(table.deleteSQL)
    deleteStatement = statement
    return statement
  }
}

/// A statement that writes some slots of the row with a key.
final class SQLiteSlotUpdate {
  let slots: [Int]
  let statement: SQLiteStatement
  let plan: SQLiteBindPlan

  init(_ slots: [Int], _ statement: SQLiteStatement, _ plan: SQLiteBindPlan) {
    self.slots = slots
    self.statement = statement
    self.plan = plan
  }
}
