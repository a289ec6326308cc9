import CSQLite
import QuarryBackend
import QuarrySQL

/// Verifies what one state of a database holds: SQLite's own check of the file, the tables and indexes against the
/// schema, and every row through the codec that reads rows.
///
/// Other content of the database is not Quarry's and is not checked, except for additions that would change the meaning of its
/// tables: unique indexes and triggers.
struct SQLiteCheck {
  private let connection: SQLiteConnection
  private let models: SQLiteModels

  /// - Parameter connection: One whose transaction has begun.
  init(_ connection: SQLiteConnection, _ models: SQLiteModels) {
    self.connection = connection
    self.models = models
  }

  func run(_ report: inout DefectReport) throws(StorageError) {
    var isWhole = false
    try report.examine("database") { report throws(StorageError) in
      isWhole = try checkDatabase(&report)
    }
    try report.examine("schema") { report throws(StorageError) in
      let version = try connection.integer(#"SELECT "schema" FROM "_quarry_commit" WHERE "id" = 1"#) ?? -1
      let schema = try SQLiteSchemaStore.load(connection)
      if schema.version != UInt64(bitPattern: version) {
        report.add("schema: it has version \(schema.version), and the commits say \(version)")
      }
    }
    for model in models.state.schema.models {
      guard let table = models.state.tables[Int(model.id.rawValue)] else { continue }
      try report.examine("model \(model.name)") { report throws(StorageError) in
        guard try checkColumns(table, &report) else { return }
        try checkIndexes(table, &report)
        try checkRows(table, &report)
      }
      // SQLite's own check ends at a page that cannot be read, or names no table.
      if !isWhole { try checkIndexPages(table, &report) }
    }
  }

  // MARK: SQLite's own check

  /// - Returns: Whether nothing is wrong.
  private func checkDatabase(_ report: inout DefectReport) throws(StorageError) -> Bool {
    let lines = try texts("PRAGMA integrity_check(\(DefectReport.most + 1))")
    for line in lines where line[0] != "ok" { report.add("database: \(line[0])") }
    return lines.allSatisfy { $0[0] == "ok" }
  }

  // MARK: Tables

  /// - Returns: Whether rows can be read from the table.
  private func checkColumns(_ table: SQLiteTable, _ report: inout DefectReport) throws(StorageError) -> Bool {
    let place = "model \(table.model.name)"
    let found = try texts("SELECT name, type, pk FROM pragma_table_xinfo(?1)", [.text(Array(table.model.name.utf8))])
    guard !found.isEmpty else {
      report.add("\(place): there is no table")
      return false
    }
    var isReadable = true
    for column in expectedColumns(table) {
      guard let row = found.first(where: { $0[0].utf8.elementsEqual(column.name.utf8) }) else {
        report.add("\(place): the table has no column \(column.name)")
        isReadable = false
        continue
      }
      if row[1].uppercased() != column.type {
        report.add("\(place): the column \(column.name) is \(row[1]), not \(column.type)")
      }
      if (row[2] == "1") != column.isKey {
        report.add("\(place): the column \(column.name) is \(column.isKey ? "not " : "")the primary key")
      }
    }
    let triggers = try texts(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE",
      [.text(Array(table.model.name.utf8))])
    for trigger in triggers { report.add("\(place): the table has a trigger, \(trigger[0])") }
    return isReadable
  }

  private func expectedColumns(_ table: SQLiteTable) -> [(name: String, type: String, isKey: Bool)] {
    var columns: [(name: String, type: String, isKey: Bool)] = []
    for column in table.columns {
      guard let column else { continue }
      let name = table.model.properties[Int(column.slot.index)].name
      let isKey = Int(column.slot.index) == table.model.primaryKey
      let isDecimal = column.kind == .decimal
      columns.append((name, column.kind.declaredType, isKey && !isDecimal))
      if isDecimal { columns.append(("_quarry_order_\(name)", "BLOB", isKey)) }
    }
    if table.hasNaN { columns.append(("_quarry_nan", "BLOB", false)) }
    return columns
  }

  // MARK: Indexes

  /// Reads the entries of each index, which tells in which one there is damage.
  private func checkIndexPages(_ table: SQLiteTable, _ report: inout DefectReport) throws(StorageError) {
    let name = table.model.name
    let found = try texts("SELECT name FROM pragma_index_list(?1)", [.text(Array(name.utf8))]).map { $0[0] }
    for index in table.model.indexes {
      let names = [SQLiteDefinition.spareIndexName(index), SQLiteDefinition.indexName(table.model, index)]
      guard let stored = names.first(where: { name in found.contains { ByteString($0) == ByteString(name) } }) else {
        continue
      }
      try report.examine("model \(name), index \(index.name)") { report throws(StorageError) in
        _ = try connection.integer(
          // Without the inner statement SQLite counts by whichever index is smallest.
          "SELECT count(*) FROM (SELECT 1 FROM \(SQLiteName.quoted(name)) "
            + "INDEXED BY \(SQLiteName.quoted(stored)) LIMIT -1)")
      }
    }
  }

  private func checkIndexes(_ table: SQLiteTable, _ report: inout DefectReport) throws(StorageError) {
    let model = table.model
    let found = try texts(
      #"SELECT name, "unique", origin, partial FROM pragma_index_list(?1)"#, [.text(Array(model.name.utf8))])
    var known: Set<ByteString> = []
    for index in model.indexes {
      let place = "model \(model.name), index \(index.name)"
      let names = [SQLiteDefinition.spareIndexName(index), SQLiteDefinition.indexName(model, index)]
      guard let row = names.lazy.compactMap({ name in found.first { ByteString($0[0]) == ByteString(name) } }).first
      else {
        report.add("\(place): the table has no such index")
        continue
      }
      known.insert(ByteString(row[0]))
      if (row[1] == "1") != index.isUnique { report.add("\(place): it is \(index.isUnique ? "not " : "")unique") }
      if row[3] != "0" { report.add("\(place): it leaves out rows") }
      let columns = try texts(
        #"SELECT name, "desc" FROM pragma_index_xinfo(?1) WHERE key ORDER BY seqno"#, [.text(Array(row[0].utf8))])
      let expected = index.columns.map { column in
        let property = model.properties[column.slot]
        return [
          property.type == .decimal ? "_quarry_order_\(property.name)" : property.name, column.isDescending ? "1" : "0",
        ]
      }
      if columns.prefix(expected.count).map({ $0.map { ByteString($0) } })
        != expected.map({ $0.map { ByteString($0) } })
      {
        report.add("\(place): it is over other columns")
      }
    }
    for row in found where row[1] == "1" && row[2] == "c" && !known.contains(ByteString(row[0])) {
      report.add("model \(model.name): the table has a unique index that is not the schema's, \(row[0])")
    }
  }

  // MARK: Rows

  private func checkRows(_ table: SQLiteTable, _ report: inout DefectReport) throws(StorageError) {
    let orders = SQLiteOrderColumns(table)
    let statement = try connection.prepare("SELECT \(orders.list) FROM \(table.name) NOT INDEXED")
    let writer = RowWriter(table.layout)
    while try statement.step() {
      do throws(StorageError) {
        let view = try RowView(try SQLiteColumnCodec.read(statement, table.all, writer), table.layout)
        for defect in view.defects(table.layout, table.model) {
          report.add("\(Self.text(table, statement)), \(defect)")
        }
        for (column, _) in try orders.wrong(statement, view) {
          let name = table.model.properties[Int(column.slot.index)].name
          report.add("\(Self.text(table, statement)), \(name): the order column is not that of the number")
        }
      } catch {
        guard error.code == .corrupt else { throw error }
        findDamage(error, statement, table, writer, &report)
      }
    }
  }

  /// Names the columns of a row that cannot be read.
  private func findDamage(
    _ error: StorageError, _ statement: SQLiteStatement, _ table: SQLiteTable, _ writer: RowWriter,
    _ report: inout DefectReport
  ) {
    var isFound = false
    for place in table.all.places {
      do throws(StorageError) {
        _ = try SQLiteColumnCodec.read(statement, SQLiteReadPlan(only: place, table.layout), writer)
      } catch {
        isFound = true
        report.add(
          "\(Self.text(table, statement)), \(table.model.properties[Int(place.slot.index)].name): \(error.message)")
      }
    }
    if !isFound { report.add("\(Self.text(table, statement)): \(error.message)") }
  }

  /// The model and the primary key of the statement's row.
  private static func text(_ table: SQLiteTable, _ statement: SQLiteStatement) -> String {
    let place = table.all.places.first { Int($0.slot.index) == table.model.primaryKey }
    return "model \(table.model.name), key \(place.map { text(statement, $0.index) } ?? "?")"
  }

  static func text(_ statement: SQLiteStatement, _ column: Int32) -> String {
    switch statement.type(column) {
    case SQLITE_INTEGER: String(statement.integer(column))
    case SQLITE_FLOAT: statement.real(column).description
    case SQLITE_TEXT: String(decoding: statement.bytes(column), as: UTF8.self)
    case SQLITE_BLOB: SQLiteDefinition.blob(Array(statement.bytes(column).prefix(64)))
    default: "NULL"
    }
  }

  /// All rows of a statement as text.
  private func texts(_ sql: String, _ values: [SQLConstant] = []) throws(StorageError) -> [[String]] {
    let statement = try connection.prepare(sql)
    try statement.bind(values)
    var rows: [[String]] = []
    while try statement.step() {
      rows.append((0..<sqlite3_column_count(statement.handle)).map { Self.text(statement, $0) })
    }
    return rows
  }
}
