#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLBackend {
    func check() throws(StorageError) -> [String] {
      var report = DefectReport()
      try PostgreSQLCheck(self).run(&report)
      return report.lines
    }

    /// Begins a read that no other transaction may conflict with.
    func beginCheck() throws(StorageError) -> PostgreSQLReadTransaction {
      let (connection, state, base) = try beginOnConnection(server.readGate(place))
      return PostgreSQLReadTransaction(self, connection, state, base: base)
    }

    func statistics() throws(StorageError) -> BackendStatistics {
      let transaction = try beginCheck()
      let (connection, state) = (transaction.connection, transaction.state)
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
