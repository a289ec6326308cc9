#if PostgreSQL
  import Foundation
  import QuarryBackend

  extension PostgreSQLWriteTransaction: RepairingWriteTransaction {
    func removeUnreadableRows(
      _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
      let model = try usableModel(model)
      let columns = try PostgreSQLColumnState.of(model.table, in: self)
      if let (property, defect) = columns.unreadable {
        throw StorageError(.corrupt, defect, model: model.table.model.name, property: property)
      }
      var places: [String] = []
      try PostgreSQLRowCheck(transaction: self, model: model).forEach { found throws(StorageError) in
        try keep(try content(model.table, found))
        places.append(found.place)
      }
      var first = 0
      while first < places.count {
        let part = places[first..<min(places.count, first + PostgreSQLRowCheck.batch)]
        var parameters = PostgreSQLParameters()
        parameters.add(text: "{\(part.map { "\"\($0)\"" }.joined(separator: ","))}".utf8)
        let removal = PostgreSQLStatement("DELETE FROM \(model.table.name) WHERE ctid = ANY($1::tid[])", parameters)
        try protected([removal]) { (results) throws(StorageError) in
          guard results[0].changes == part.count else { throw .rejectedRow.with(model: model.table.model.name) }
        }
        first += part.count
        hasChanged = true
      }
      return places.count
    }

    /// A row as the table has it.
    private func content(
      _ table: PostgreSQLTable, _ found: PostgreSQLRowCheck.Found
    ) throws(StorageError) -> UnreadableRow {
      let names = table.live.map { $0.kind == .data ? $0.name : $0.name + "::text" }
      var parameters = PostgreSQLParameters()
      parameters.add(text: found.place.utf8)
      let result = try query(
        PostgreSQLStatement(
          "SELECT \(names.joined(separator: ", ")) FROM \(table.name) WHERE ctid = $1::tid", parameters))
      let members = table.live.enumerated().map { index, column in
        let value: Value =
          if column.kind == .data, !result.isNull(0, index) {
            .data(Data(result.bytes(0, index)))
          } else {
            result.text(0, index).map { .string($0) } ?? .null
          }
        return Value.Member(table.model.properties[Int(column.slot.index)].name, value)
      }
      return UnreadableRow(
        model: table.model.name, key: found.key, reason: found.defects.joined(separator: "; "),
        content: .columns(members))
    }

    /// Makes the table what its model says, where another program has changed it: what may be NULL, the collation of texts, the
    /// index of the keys, and whether the table outlives a crash of the server.
    func correctDefinition(_ model: ModelID) throws(StorageError) -> [String] {
      let table = try usableModel(model).table
      let name = table.model.name
      let columns = try PostgreSQLColumnState.of(table, in: self)
      var (commands, actions): ([String], [String]) = ([], [])
      for unlogged in try unloggedTables(table) {
        commands.append("ALTER TABLE \(unlogged.name) SET LOGGED")
        actions.append("\(unlogged.words) was made LOGGED")
      }
      for column in columns.otherCollation {
        commands.append("ALTER TABLE \(table.name) ALTER COLUMN \(column.name) TYPE \(column.kind.declaredType)")
        actions.append("the column \(column.name) of \(name) got the collation \"C\" back")
      }
      for column in columns.otherOptionality {
        let isOptional = column.slot.isOptional
        commands.append("ALTER TABLE \(table.name) ALTER COLUMN \(column.name) \(isOptional ? "DROP" : "SET") NOT NULL")
        actions.append("the column \(column.name) of \(name) \(isOptional ? "allows" : "refuses") NULL again")
      }
      let index = PostgreSQLIndexCheck(transaction: self, table: table)
      if try !index.hasKeyIndex() {
        if let key = try index.sharedKeys(most: 1).first { throw .sharedKey(table.model, key: key) }
        let key = PostgreSQLName.key(table.model.id.rawValue)
        // Before the columns change, which would build it once more.
        commands.insert(
          "ALTER TABLE \(table.name) DROP CONSTRAINT IF EXISTS \(PostgreSQLName.quoted(key)); "
            + "DROP INDEX IF EXISTS \(backend.place.qualified(key))", at: 0)
        commands.append(PostgreSQLDefinition.createKey(table))
        actions.append("the index of the keys of \(name) was rebuilt")
      }
      guard !commands.isEmpty else { return [] }
      _ = try pipeline([])
      do throws(StorageError) {
        try atomically { () throws(StorageError) in
          try closeGate([backend.place.line])
          try connection.run(commands.joined(separator: "; "))
        }
      } catch {
        // A view or a rule of another program keeps the type of a column.
        guard error.sqlState == "0A000" else { throw error.with(model: name) }
        throw StorageError(
          .inUse, "other objects of the database depend on columns that are to be changed", model: name,
          cause: error.cause)
      }
      hasChanged = true
      return actions
    }

    /// The table of the model and those of the store, where a crash of the server would empty them.
    private func unloggedTables(
      _ table: PostgreSQLTable
    ) throws(StorageError) -> [(name: String, words: String)] {
      let found = try texts(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 "
          + "AND c.relkind = 'r' AND c.relpersistence = 'u' AND (c.relname = $2 OR starts_with(c.relname::text, '_quarry_'))",
        backend.place.schema, table.model.name)
      return found.map { (backend.place.qualified($0[0]), "the table \($0[0])") }
    }
  }
#endif
