#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLBackend {
    func check() throws(StorageError) -> [String] {
      let (connection, state, base) = try beginOnConnection(server.readGate(place))
      let transaction = PostgreSQLReadTransaction(self, connection, state, base: base)
      defer { transaction.end() }
      var report = DefectReport()
      for model in state.schema.models {
        try report.examine("model \(model.name)") { report throws(StorageError) in
          let table = try state.table(model.id)
          guard try checkColumns(table, transaction, &report) else { return }
          try checkIndexes(table, transaction, &report)
          try checkRows(table, transaction, &report)
        }
      }
      return report.lines
    }

    /// The rows of a statement as text.
    private func texts(
      _ sql: String, _ table: PostgreSQLTable, _ transaction: PostgreSQLReadTransaction
    ) throws(StorageError) -> [[String]] {
      var parameters = PostgreSQLParameters()
      parameters.add(text: place.schema.utf8)
      parameters.add(text: table.model.name.utf8)
      let result = try transaction.query(PostgreSQLStatement(sql, parameters))
      return (0..<result.count).map { row in (0..<result.columnCount).map { result.text(row, $0) ?? "" } }
    }

    /// - Returns: Whether rows can be read from the table.
    private func checkColumns(
      _ table: PostgreSQLTable, _ transaction: PostgreSQLReadTransaction, _ report: inout DefectReport
    ) throws(StorageError) -> Bool {
      let found = try texts(
        "SELECT a.attname::text, t.typname::text, a.attnotnull::text FROM pg_attribute a "
          + "JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
          + "JOIN pg_type t ON t.oid = a.atttypid "
          + "WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped", table, transaction)
      let model = table.model
      guard !found.isEmpty else {
        report.add("model \(model.name): there is no table")
        return false
      }
      var isReadable = true
      for column in table.live {
        let property = model.properties[Int(column.slot.index)].name
        let name = PostgreSQLName.column(of: property)
        guard let row = found.first(where: { $0[0].utf8.elementsEqual(name.utf8) }) else {
          report.add("model \(model.name): the table has no column \(name)")
          isReadable = false
          continue
        }
        if row[1] != column.kind.catalogName {
          report.add("model \(model.name): the column \(name) is \(row[1]), not \(column.kind.catalogName)")
          isReadable = false
        }
        if (row[2] == "true") == column.slot.isOptional {
          report.add("model \(model.name): the column \(name) \(column.slot.isOptional ? "refuses" : "allows") NULL")
        }
      }
      return isReadable
    }

    private func checkIndexes(
      _ table: PostgreSQLTable, _ transaction: PostgreSQLReadTransaction, _ report: inout DefectReport
    ) throws(StorageError) {
      let found = try texts(
        "SELECT i.relname::text, x.indisunique::text, x.indisvalid::text FROM pg_index x "
          + "JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid "
          + "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2", table, transaction)
      for index in table.model.indexes {
        let name = PostgreSQLName.index(index.id)
        guard let row = found.first(where: { $0[0] == name }) else {
          report.add("model \(table.model.name), index \(index.name): the table has no such index")
          continue
        }
        if (row[1] == "true") != index.isUnique {
          report.add("model \(table.model.name), index \(index.name): it is \(index.isUnique ? "not " : "")unique")
        }
        if row[2] != "true" { report.add("model \(table.model.name), index \(index.name): it is not valid") }
      }
      let key = PostgreSQLName.key(table.model.id.rawValue)
      if !found.contains(where: { $0[0] == key && $0[1] == "true" && $0[2] == "true" }) {
        report.add("model \(table.model.name): the table has no unique index of its keys")
      }
    }

    /// Reads every row as a query does.
    private func checkRows(
      _ table: PostgreSQLTable, _ transaction: PostgreSQLReadTransaction, _ report: inout DefectReport
    ) throws(StorageError) {
      try transaction.forEachRow(BoundQuery(everyRowOf: table.model)) { (row) throws(StorageError) in
        let view = try RowView(row, table.layout)
        for defect in view.defects(table.layout, table.model) {
          report.add("model \(table.model.name), key \(KeyText.text(of: view, table.layout) ?? "?"), \(defect)")
        }
      }
    }

    func statistics() throws(StorageError) -> BackendStatistics {
      let (connection, state, base) = try beginOnConnection(server.readGate(place))
      let transaction = PostgreSQLReadTransaction(self, connection, state, base: base)
      defer { transaction.end() }
      var models: [BackendStatistics.ModelStatistics] = []
      var total = 0
      for model in state.schema.models {
        let table = try state.table(model.id)
        let name = PostgreSQLName.literal(table.name)
        let result = try transaction.query(
          PostgreSQLStatement(
            "SELECT (SELECT count(*) FROM \(table.name)), pg_table_size(\(name)::regclass), "
              + "pg_total_relation_size(\(name)::regclass)"))
        let rows = Int(try PostgreSQLReadTransaction.integer(result, 0))
        total += Int(try PostgreSQLReadTransaction.integer(result, 2))
        // Each row has an entry, also where a value is nil.
        models.append(
          .init(
            name: model.name, rows: rows, bytes: Int(try PostgreSQLReadTransaction.integer(result, 1)),
            indexes: model.indexes.map { .init(name: $0.name, entries: rows) }))
      }
      return BackendStatistics(
        models: models, bytes: total,
        details: [
          "server": String(connection.serverVersion), "snapshots": String(snapshots.load(ordering: .relaxed)),
          "encryption": "none", "commits": try transaction.version().description, "checksums": "none",
          "server checksums": try transaction.query(PostgreSQLStatement("SHOW data_checksums")).text(0, 0) ?? "unknown",
          "schema format": String(state.schema.format), "schema version": String(state.schema.version),
          "format": String(PostgreSQLSchemaStore.format), "standby": connection.isStandby ? "yes" : "no",
          "server kind": server.name, "pooled": isPooled ? "yes" : "no",
        ])
    }
  }
#endif
