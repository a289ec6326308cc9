#if PostgreSQL
  import QuarryBackend

  /// Compares the tables of a store with its schema, and reads every row.
  ///
  /// Other tables of the database are not Quarry's and are not checked. What others have added to the tables of models is reported
  /// where it changes or refuses rows.
  final class PostgreSQLCheck {
    private let backend: PostgreSQLBackend
    private var transaction: PostgreSQLReadTransaction
    private var place: PostgreSQLPlace { backend.place }

    init(_ backend: PostgreSQLBackend) throws(StorageError) {
      self.backend = backend
      transaction = try backend.beginCheck()
    }

    func run(_ report: inout DefectReport) throws(StorageError) {
      defer { transaction.end() }
      try examine("the store's own tables", &report) { report throws(StorageError) in try checkOwnTables(&report) }
      for model in transaction.schema.models {
        try examine("model \(model.name)", &report) { report throws(StorageError) in
          let table = try transaction.state.table(model.id)
          guard try checkTable(table, &report) else { return }
          let isReadable = try checkColumns(table, &report)
          try PostgreSQLIndexCheck(transaction: transaction, table: table).run(isReadable: isReadable, &report)
          guard isReadable else { return }
          try PostgreSQLRowCheck(transaction: transaction, model: try transaction.model(model.id)).run(&report)
        }
      }
    }

    /// Runs a part of the check. Damage after which the server takes no more statements ends only the part.
    private func examine(
      _ what: String, _ report: inout DefectReport, _ body: (inout DefectReport) throws(StorageError) -> Void
    ) throws(StorageError) {
      try report.examine(what, body)
      guard transaction.failure != nil else { return }
      transaction.end()
      transaction = try backend.beginCheck()
    }

    // MARK: Quarry's own tables

    private func checkOwnTables(_ report: inout DefectReport) throws(StorageError) {
      let isConcurrent = backend.manifest.writers == .many
      let versions = isConcurrent ? [PostgreSQLPlace.changeName, PostgreSQLPlace.countName] : []
      let found = try transaction.texts(
        "SELECT c.relname::text, c.relpersistence::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
          + "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')", place.schema)
      for name in PostgreSQLPlace.names + versions {
        guard let row = found.first(where: { $0[0] == name }) else {
          report.add("the table \(name) is missing")
          continue
        }
        if row[1] == "u" { report.add("the table \(name) is UNLOGGED: a crash of the server empties it") }
        for addition in try additions(to: place.qualified(name)) { report.add("the table \(name) has \(addition)") }
      }
      let rows = try transaction.texts("SELECT writers FROM \(place.store)")
      if rows.count != 1 { report.add("the table \(PostgreSQLPlace.storeName) has \(rows.count) rows, not 1") }
      if let row = rows.first, row[0] != backend.manifest.writers.rawValue {
        report.add(
          "the table \(PostgreSQLPlace.storeName): writers is \(row[0]), and the store was opened with "
            + backend.manifest.writers.rawValue)
      }
    }

    // MARK: Tables

    /// - Returns: Whether there is a table.
    private func checkTable(_ table: PostgreSQLTable, _ report: inout DefectReport) throws(StorageError) -> Bool {
      let model = "model \(table.model.name)"
      let found = try transaction.texts(
        "SELECT relkind::text, relpersistence::text FROM pg_class WHERE oid = to_regclass($1)", table.name)
      guard let row = found.first, row[0] == "r" || row[0] == "p" else {
        report.add("\(model): there is no table")
        return false
      }
      if row[1] == "u" { report.add("\(model): the table is UNLOGGED: a crash of the server empties it") }
      for addition in try additions(to: table.name) { report.add("\(model): the table has \(addition)") }
      return true
    }

    /// What others have added to a table that can change, refuse or hide rows, or takes part in writes: triggers, rules and row
    /// security. What is switched off does not count.
    ///
    /// - Parameter table: The quoted name.
    private func additions(to table: String) throws(StorageError) -> [String] {
      // A trigger for each row before it is stored has both of the bits.
      let found = try transaction.texts(
        "SELECT CASE WHEN tgtype & 3 = 3 THEN 'a trigger that can change or drop rows, ' "
          + "ELSE 'a trigger that runs when rows are written, ' END || tgname FROM pg_trigger "
          + "WHERE tgrelid = to_regclass($1) AND NOT tgisinternal AND tgenabled <> 'D' UNION ALL "
          + "SELECT 'a rule that can change or drop rows, ' || rulename FROM pg_rewrite "
          + "WHERE ev_class = to_regclass($1) AND ev_enabled <> 'D' AND ev_type <> '1' UNION ALL "
          + "SELECT 'row security, which can refuse and hide rows' FROM pg_class "
          + "WHERE oid = to_regclass($1) AND relrowsecurity ORDER BY 1", table)
      return found.map { $0[0] }
    }

    // MARK: Columns

    /// - Returns: Whether rows can be read from the table.
    private func checkColumns(_ table: PostgreSQLTable, _ report: inout DefectReport) throws(StorageError) -> Bool {
      let defects = try PostgreSQLColumnState.of(table, in: transaction)
      for defect in defects.list { report.add("model \(table.model.name): \(defect)") }
      return defects.isReadable
    }
  }

  /// The columns of a table as the server has them, next to what the model says.
  struct PostgreSQLColumnState {
    /// The columns of properties that refuse NULL and should not, or the other way round.
    private(set) var otherOptionality: [PostgreSQLColumn] = []
    /// The columns of texts with another collation than that of Quarry's.
    private(set) var otherCollation: [PostgreSQLColumn] = []
    /// All defects in words.
    private(set) var list: [String] = []
    /// The first property whose column is missing or of another type, and what is wrong with it.
    private(set) var unreadable: (property: String?, defect: String)?

    /// Whether rows can be read.
    var isReadable: Bool { unreadable == nil }

    private struct Found {
      let name, typeNumber, type: String
      let refusesNull, hasDefault: Bool
      let collation: String
    }

    static func of(
      _ table: PostgreSQLTable, in transaction: PostgreSQLReadTransaction
    ) throws(StorageError) -> PostgreSQLColumnState {
      let rows = try transaction.texts(Self.sql, table.name)
      return PostgreSQLColumnState(table, rows)
    }

    /// Reads the columns of the table whose quoted name is the parameter.
    static let sql =
      "SELECT a.attname::text, a.atttypid::text, format_type(a.atttypid, a.atttypmod), a.attnotnull::text, "
      + "(a.atthasdef OR a.attidentity <> '')::text, coalesce(l.collname::text, '') "
      + "FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation "
      + "WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"

    init(_ table: PostgreSQLTable, _ rows: [[String]]) {
      let found = rows.map { row in
        Found(
          name: row[0], typeNumber: row[1], type: row[2], refusesNull: row[3] == "true", hasDefault: row[4] == "true",
          collation: row[5])
      }
      guard !found.isEmpty else {
        list = ["there is no table"]
        unreadable = (nil, list[0])
        return
      }
      var known: Set<String> = []
      for column in table.live {
        let property = table.model.properties[Int(column.slot.index)].name
        let name = PostgreSQLName.column(of: property)
        known.insert(name)
        add(column, property, name, found.first { $0.name.utf8.elementsEqual(name.utf8) })
      }
      if table.hasTrees {
        known.insert(PostgreSQLName.exact)
        let exact = found.first { $0.name == PostgreSQLName.exact }
        if exact?.typeNumber != String(PostgreSQLType.bytea) {
          let what = exact.map { "is \($0.type), not bytea" } ?? "is missing"
          let property = table.live.first { $0.kind == .tree }.map { table.model.properties[Int($0.slot.index)].name }
          refuse(property ?? PostgreSQLName.exact, "the column \(PostgreSQLName.exact) \(what)")
        }
      }
      for column in found where column.refusesNull && !column.hasDefault && !known.contains(column.name) {
        list.append("the table has a column that is no property's and refuses NULL, \(column.name)")
      }
    }

    private mutating func refuse(_ property: String, _ defect: String) {
      list.append(defect)
      if unreadable == nil { unreadable = (property, defect) }
    }

    private mutating func add(_ column: PostgreSQLColumn, _ property: String, _ name: String, _ found: Found?) {
      guard let found else { return refuse(property, "the table has no column \(name)") }
      guard found.typeNumber == String(column.kind.type) else {
        return refuse(property, "the column \(name) is \(found.type), not \(column.kind.typeName)")
      }
      if found.refusesNull == column.slot.isOptional {
        otherOptionality.append(column)
        list.append("the column \(name) \(column.slot.isOptional ? "refuses" : "allows") NULL")
      }
      if column.kind == .text, found.collation != "C" {
        otherCollation.append(column)
        list.append("the column \(name) has the collation \"\(found.collation)\", not \"C\"")
      }
    }
  }

  extension PostgreSQLReadTransaction {
    /// The rows of a statement as text.
    final func texts(_ sql: String, _ parameters: String...) throws(StorageError) -> [[String]] {
      var list = PostgreSQLParameters()
      for parameter in parameters { list.add(text: parameter.utf8) }
      var statement = PostgreSQLStatement(sql, list)
      statement.isPrepared = false
      return try query(statement).texts
    }
  }
#endif
