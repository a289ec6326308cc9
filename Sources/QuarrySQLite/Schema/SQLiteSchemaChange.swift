import CSQLite
import QuarryBackend
import QuarrySQL

/// Makes a change of the schema in the database. Called inside a savepoint, which undoes all of it when it throws.
struct SQLiteSchemaChange {
  let connection: SQLiteConnection
  let old: Schema
  let new: Schema
  /// The most columns of a table.
  let columnLimit: Int

  func make(_ change: SchemaChange) throws(StorageError) {
    switch change {
    case .createModel: try createModel()
    case .dropModel(let id): try connection.run("DROP TABLE \(SQLiteName.quoted(try model(id, old).name))")
    case .renameModel(let id, _): try renameModel(try model(id, old), try model(id, new))
    case .addProperty(let id, _): try addProperty(try model(id, new))
    case .renameProperty(let id, let slot, _): try renameProperty(try model(id, old), try model(id, new), slot)
    case .dropProperty(let id, let slot): try dropProperty(try model(id, old), slot)
    case .changeOptionality(let id, let slot, _):
      let (before, after) = (try model(id, old), try model(id, new))
      if before.properties[slot].isOptional != after.properties[slot].isOptional { try makeAnew(after) }
    case .changeReference(let id, let slot, _):
      let (before, after) = (try model(id, old), try model(id, new))
      if before.properties[slot].reference != after.properties[slot].reference { try makeAnew(after) }
    case .createIndex(let id, _):
      let model = try model(id, new)
      guard let index = model.indexes.last else { return }
      try createIndex(model, index)
    case .dropIndex(let id, let index):
      let model = try model(id, old)
      try dropIndex(model, try self.index(index, model))
    case .renameIndex(let id, let index, _):
      let before = try model(id, old)
      let after = try model(id, new)
      try dropIndex(before, try self.index(index, before))
      try createIndex(after, try self.index(index, after))
    // The layers above keep sequences, the index of words and sync names.
    case .changeKeyGeneration, .changeSearch, .changeSyncName, .setProgramVersion: break
    }
  }

  private func model(_ id: ModelID, _ schema: Schema) throws(StorageError) -> ModelSchema {
    guard let model = schema.model(id: id) else {
      throw StorageError(.schemaMismatch, "the store has no model with the number \(id)")
    }
    return model
  }

  private func index(_ id: UInt32, _ model: ModelSchema) throws(StorageError) -> IndexSchema {
    guard let index = model.indexes.first(where: { $0.id == id }) else {
      throw StorageError(.schemaMismatch, "the model has no index with the number \(id)", model: model.name)
    }
    return index
  }

  private func checkColumns(_ model: ModelSchema) throws(StorageError) {
    let count = model.liveSlots.count
    guard count <= columnLimit else {
      throw .limitExceeded("properties of a model", limit: columnLimit, actual: count, model: model.name)
    }
  }

  private func createModel() throws(StorageError) {
    guard let model = new.models.last else { return }
    try checkColumns(model)
    try makeRoom(forTable: model.name)
    try connection.run(SQLiteDefinition.createTable(model))
    for index in model.indexes { try createIndex(model, index) }
  }

  private func renameModel(_ before: ModelSchema, _ after: ModelSchema) throws(StorageError) {
    // Indexes are named after their model, and have no other way to be renamed.
    for index in before.indexes { try dropIndex(before, index) }
    try makeRoom(forTable: after.name)
    // SQLite refuses a new name that differs only in case.
    let between = SQLiteName.quoted("_quarry_renamed_\(before.id)")
    try renameTable(SQLiteName.quoted(before.name), to: between)
    try renameTable(between, to: SQLiteName.quoted(after.name))
    for index in after.indexes { try createIndex(after, index) }
  }

  /// Views and triggers follow the table. Where one names a table that is not there, which may be the one that the table
  /// becomes, SQLite refuses; then they are left as they are.
  private func renameTable(_ old: String, to new: String) throws(StorageError) {
    let statement = "ALTER TABLE \(old) RENAME TO \(new)"
    do throws(StorageError) {
      try connection.run(statement)
    } catch {
      guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger')") != nil else {
        throw error
      }
      try connection.run("PRAGMA legacy_alter_table = ON")
      defer { try? connection.run("PRAGMA legacy_alter_table = OFF") }
      try connection.run(statement)
    }
  }

  // MARK: Properties

  private func addProperty(_ model: ModelSchema) throws(StorageError) {
    guard let property = model.properties.last else { return }
    try checkColumns(model)
    let table = SQLiteName.quoted(model.name)
    let kind = SQLiteColumnKind(property.type)
    if kind.isFloatingPoint {
      var before = model
      before.properties.removeLast()
      if !SQLiteDefinition.needsNaN(before) {
        try connection.run("ALTER TABLE \(table) ADD COLUMN \(SQLiteName.nan) BLOB")
      }
    }
    if kind == .decimal {
      // The order next to the value. It stays empty only in rows without a value.
      let order = SQLiteName.order(of: property.name)
      guard let value = property.defaultValue else {
        try connection.run("ALTER TABLE \(table) ADD COLUMN \(SQLiteName.quoted(property.name)) TEXT")
        try connection.run("ALTER TABLE \(table) ADD COLUMN \(order) BLOB")
        return
      }
      guard case .decimal(let decimal) = value,
        case .blob(let bytes) = try SQLConstant(comparable: value, .decimal)
      else { throw StorageError(.schemaMismatch, "the default is \(value.kind)", property: property.name) }
      let text = String(decoding: try DecimalParts(decimal).text, as: UTF8.self)
      let isNeeded = property.isOptional ? "" : " NOT NULL"
      try connection.run(
        "ALTER TABLE \(table) ADD COLUMN \(SQLiteName.quoted(property.name)) TEXT\(isNeeded) DEFAULT '\(text)'")
      try connection.run(
        "ALTER TABLE \(table) ADD COLUMN \(order) BLOB\(isNeeded) DEFAULT \(SQLiteDefinition.blob(bytes))")
      return
    }
    if let column = SQLiteDefinition.addColumn(property) {
      try connection.run("ALTER TABLE \(table) ADD COLUMN \(column)")
    } else {
      try addUnusualColumn(model, property, kind)
    }
  }

  /// Adds a property whose default has no literal: rows are given it one and all.
  private func addUnusualColumn(
    _ model: ModelSchema, _ property: PropertySchema, _ kind: SQLiteColumnKind
  ) throws(StorageError) {
    let name = SQLiteName.quoted(property.name)
    let column = "\(name) \(kind.declaredType)"
    var filler = ""
    if !property.isOptional {
      switch kind {
      case .text, .uuid, .decimal: filler = " NOT NULL DEFAULT ''"
      case .data: filler = " NOT NULL DEFAULT X''"
      default: filler = " NOT NULL DEFAULT 0"
      }
    }
    try connection.run("ALTER TABLE \(SQLiteName.quoted(model.name)) ADD COLUMN \(column)\(filler)")
    let table = try SQLiteTable(model)
    let place = table.insertPlan.places.first { Int($0.slot.index) == model.properties.count - 1 }
    guard let place else { return }
    let hasNaN = kind.isFloatingPoint
    let nan = SQLiteName.nan
    let bits =
      hasNaN ? ", \(nan) = nullif(CAST(coalesce(\(nan), X'') || coalesce(?2, X'') AS BLOB), X'')" : ""
    let statement = try connection.prepare("UPDATE \(table.name) SET \(name) = ?1\(bits)")
    let only = SQLiteColumnPosition(
      slot: place.slot, kind: place.kind, index: 1, orderIndex: -1, elementType: place.elementType)
    let plan = SQLiteBindPlan(only, nanIndex: hasNaN ? 2 : -1)
    // The writer and the scratch own the bytes that are bound.
    let writer = RowWriter(table.layout)
    let scratch = RowScratch()
    defer { withExtendedLifetime((writer, scratch)) {} }
    writer.begin()
    try writer.set(place.slot, value: property.defaultValue ?? .null)
    let row = try RowView(try writer.finish(), table.layout)
    try SQLiteColumnCodec.bind(row, table.layout, plan, statement, scratch)
    try statement.run()
  }

  private func renameProperty(_ before: ModelSchema, _ after: ModelSchema, _ slot: Int) throws(StorageError) {
    let table = SQLiteName.quoted(before.name)
    let (oldName, newName) = (before.properties[slot].name, after.properties[slot].name)
    try connection.run(
      "ALTER TABLE \(table) RENAME COLUMN \(SQLiteName.quoted(oldName)) TO \(SQLiteName.quoted(newName))")
    if before.properties[slot].type == .decimal {
      try connection.run(
        "ALTER TABLE \(table) RENAME COLUMN \(SQLiteName.order(of: oldName)) TO \(SQLiteName.order(of: newName))")
    }
  }

  private func dropProperty(_ model: ModelSchema, _ slot: Int) throws(StorageError) {
    let table = SQLiteName.quoted(model.name)
    let property = model.properties[slot]
    if property.reference != nil {
      // SQLite drops no column that has a foreign key.
      var plain = model
      plain.properties[slot].reference = nil
      try makeAnew(plain)
    }
    try connection.run("ALTER TABLE \(table) DROP COLUMN \(SQLiteName.quoted(property.name))")
    if property.type == .decimal {
      try connection.run("ALTER TABLE \(table) DROP COLUMN \(SQLiteName.order(of: property.name))")
    }
  }

  /// Puts the rows of a model into a new table of the same columns, because SQLite cannot change whether one may be NULL, or
  /// what it refers to.
  ///
  /// The table's indexes, and foreign additions to it, are created again as they were.
  private func makeAnew(_ model: ModelSchema) throws(StorageError) {
    let name = SQLiteName.quoted(model.name)
    let dependents = try definitions(on: model.name)
    var rebuilt = model
    rebuilt.name = "_quarry_rebuilt_\(model.id)"
    let table = try SQLiteTable(rebuilt)
    let columns = table.insertPlan.names.joined(separator: ", ")
    try connection.run(SQLiteDefinition.createTable(rebuilt))
    try connection.run("INSERT INTO \(table.name) (\(columns)) SELECT \(columns) FROM \(name)")
    try connection.run("DROP TABLE \(name)")
    try renameTable(table.name, to: name)
    for definition in dependents { try connection.run(definition) }
  }

  /// The definitions of the indexes and triggers of a table, in the order in which they were made.
  private func definitions(on table: String) throws(StorageError) -> [String] {
    let statement = try connection.lease(
      "SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger') "
        + "AND sql IS NOT NULL ORDER BY rowid")
    defer { connection.giveBack(statement) }
    try statement.bind([.text(table)])
    var result: [String] = []
    while try statement.step() { result.append(String(decoding: statement.bytes(0), as: UTF8.self)) }
    return result
  }

  // MARK: Indexes

  /// Whether the database has something of that name, as SQLite compares names.
  private func isTaken(_ name: String) throws(StorageError) -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", [.text(name)]) != nil
  }

  func createIndex(_ model: ModelSchema, _ index: IndexSchema) throws(StorageError) {
    var name = SQLiteDefinition.indexName(model, index)
    // A later model may want that name, too; then the index gives way in `makeRoom`.
    if try isTaken(name) { name = SQLiteDefinition.spareIndexName(index) }
    do throws(StorageError) {
      try connection.run(try SQLiteDefinition.createIndex(model, index, name: name))
    } catch  where error.code == .uniqueViolation {
      throw .uniqueViolation(index, model, key: nil)
    }
  }

  func dropIndex(_ model: ModelSchema, _ index: IndexSchema) throws(StorageError) {
    let spare = SQLiteDefinition.spareIndexName(index)
    let name = try isTaken(spare) ? spare : SQLiteDefinition.indexName(model, index)
    // An index that was dropped by another program is created again by a repair.
    try connection.run("DROP INDEX IF EXISTS \(SQLiteName.quoted(name))")
  }

  /// Gives an index another name when a table needs the name that it has.
  private func makeRoom(forTable name: String) throws(StorageError) {
    for model in old.models {
      for index in model.indexes
      where SQLiteDefinition.indexName(model, index).utf8.elementsEqual(name.utf8, by: Self.isSameFolded) {
        guard try !isTaken(SQLiteDefinition.spareIndexName(index)) else { continue }
        guard try isTaken(name) else { continue }
        try dropIndex(model, index)
        try connection.run(
          try SQLiteDefinition.createIndex(model, index, name: SQLiteDefinition.spareIndexName(index)))
      }
    }
  }

  private static func isSameFolded(_ a: UInt8, _ b: UInt8) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
    return folded(a) == folded(b)
  }
}
