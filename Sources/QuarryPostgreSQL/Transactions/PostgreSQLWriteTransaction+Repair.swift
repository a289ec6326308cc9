#if PostgreSQL
  import Foundation
  import QuarryBackend

  extension PostgreSQLWriteTransaction: RepairingWriteTransaction {
    /// How many rows are read and removed in a trip.
    private static let rowsOfRepair = 256

    func removeUnreadableRows(
      _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
      let model = try usableModel(model)
      let places = try unreadablePlaces(model, keep)
      var first = 0
      while first < places.count {
        let part = places[first..<min(places.count, first + Self.rowsOfRepair)]
        var parameters = PostgreSQLParameters()
        parameters.add(text: "{\(part.map { "\"\($0)\"" }.joined(separator: ","))}".utf8)
        _ = try protected([
          PostgreSQLStatement("DELETE FROM \(model.table.name) WHERE ctid = ANY($1::tid[])", parameters)
        ])
        first += part.count
        hasChanged = true
      }
      return places.count
    }

    /// Hands over the rows that cannot be read.
    ///
    /// - Returns: Their places in the table: their keys may be damaged too.
    private func unreadablePlaces(
      _ model: PostgreSQLModel, _ keep: (UnreadableRow) throws(StorageError) -> Void
    ) throws(StorageError) -> [String] {
      let (table, reader) = (model.table, model.reader)
      // The closure may make other calls, which use the model's buffer.
      let writer = RowWriter(table.layout)
      let portal = makePortal()
      defer { close(portal) }
      let declaration = PostgreSQLStatement.command(
        "DECLARE \(portal.name) BINARY NO SCROLL CURSOR FOR SELECT \(reader.list()), ctid::text FROM \(table.name)")
      let fetch = PostgreSQLStatement.command(
        "FETCH \(reader.rows(in: 4 << 20, most: Self.rowsOfRepair)) FROM \(portal.name)")
      var places: [String] = []
      var next = try pipeline([declaration, fetch]).last
      while let result = next, result.count > 0 {
        try reader.check(result)
        for row in 0..<result.count {
          guard let reason = try defect(result, row, reader, writer) else { continue }
          let place = result.text(row, result.columnCount - 1) ?? ""
          try keep(try content(table, place, reason))
          places.append(place)
        }
        next = try query(fetch)
      }
      return places
    }

    /// - Returns: Why a row cannot be read; nil for one that can be.
    private func defect(
      _ result: PostgreSQLResult, _ row: Int, _ reader: PostgreSQLRowReader, _ writer: RowWriter
    ) throws(StorageError) -> String? {
      let (layout, model) = (reader.table.layout, reader.table.model)
      do throws(StorageError) {
        let defects = try RowView(try reader.read(result, row, writer), layout).defects(layout, model)
        return defects.isEmpty ? nil : defects.joined(separator: "; ")
      } catch {
        guard error.code == .corrupt else { throw error }
        return error.message
      }
    }

    /// A row as the table has it.
    private func content(
      _ table: PostgreSQLTable, _ place: String, _ reason: String
    ) throws(StorageError) -> UnreadableRow {
      let names = table.live.map { $0.kind == .data ? $0.name : $0.name + "::text" }
      var parameters = PostgreSQLParameters()
      parameters.add(text: place.utf8)
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
      let key = table.live.firstIndex { $0.slot.index == table.key.slot.index }.flatMap { result.text(0, $0) }
      return UnreadableRow(model: table.model.name, key: key ?? "?", reason: reason, content: .columns(members))
    }

    /// Makes the table what its model says, where another program has changed it: which columns may be NULL, and the index of the
    /// keys.
    ///
    /// - Returns: 0: no value of a row is derived from others.
    func correctDerivedValues(_ model: ModelID) throws(StorageError) -> Int {
      let table = try usableModel(model).table
      var commands: [String] = []
      for column in table.live where try isOptional(column, table) != column.slot.isOptional {
        commands.append("ALTER COLUMN \(column.name) \(column.slot.isOptional ? "DROP" : "SET") NOT NULL")
      }
      commands = commands.map { "ALTER TABLE \(table.name) \($0)" }
      if try !hasKeyIndex(table) {
        let name = PostgreSQLName.key(table.model.id.rawValue)
        commands += [
          "ALTER TABLE \(table.name) DROP CONSTRAINT IF EXISTS \(PostgreSQLName.quoted(name))",
          "DROP INDEX IF EXISTS \(backend.place.qualified(name))", PostgreSQLDefinition.createKey(table),
        ]
      }
      guard !commands.isEmpty else { return 0 }
      try atomically { () throws(StorageError) in
        try closeGate([backend.place.line])
        try connection.run(commands.joined(separator: "; "))
      }
      hasChanged = true
      return 0
    }

    private func isOptional(_ column: PostgreSQLColumn, _ table: PostgreSQLTable) throws(StorageError) -> Bool {
      let name = PostgreSQLName.column(of: table.model.properties[Int(column.slot.index)].name)
      var parameters = PostgreSQLParameters()
      parameters.add(text: name.utf8)
      let sql =
        "SELECT attnotnull::text FROM pg_attribute WHERE attrelid = \(PostgreSQLName.literal(table.name))::regclass "
        + "AND attname = $1 AND NOT attisdropped"
      return try query(PostgreSQLStatement(sql, parameters)).text(0, 0) != "true"
    }

    private func hasKeyIndex(_ table: PostgreSQLTable) throws(StorageError) -> Bool {
      var parameters = PostgreSQLParameters()
      parameters.add(text: PostgreSQLName.key(table.model.id.rawValue).utf8)
      let sql =
        "SELECT 1 FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
        + "WHERE x.indrelid = \(PostgreSQLName.literal(table.name))::regclass AND i.relname = $1 AND x.indisunique "
        + "AND x.indisvalid"
      return try query(PostgreSQLStatement(sql, parameters)).count > 0
    }
  }
#endif
