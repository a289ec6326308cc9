#if PostgreSQL
  import QuarryBackend

  // A row in one trip, without a transaction that outlives the call.
  extension PostgreSQLBackend {
    func withRow(
      _ model: ModelID, _ key: UnsafeRawBufferPointer, schema version: UInt64,
      _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool? {
      let found = try shared.state(version)?.withModel(model) { (model) throws(StorageError) -> StoredRow? in
        guard let found = try storedRow(model, key, version) else { return nil }
        if case .row(let row) = found { try body(row) }
        return found
      }
      switch found ?? nil {
      case .row: return true
      case .absent: return false
      case .otherSchema: return nil
      case nil: break
      }
      return try withRowOfTransaction(model, key, schema: version, body)
    }

    /// A row that was read, or why there is none.
    private enum StoredRow {
      /// A row in the buffer of the model.
      case row(UnsafeRawBufferPointer)
      case absent
      /// The state that was read does not have the schema that the caller knows.
      case otherSchema
    }

    /// Reads a row by a statement that also looks at the schema, so that it needs no look of its own.
    ///
    /// With one writer it comes without a transaction: at the level `read committed` the server takes the snapshot of a statement
    /// after its locks. With many writers it is a serializable transaction, whose beginning, locks and end are sent along.
    ///
    /// - Returns: Nil where only a transaction can tell: without a session, and after an error.
    private func storedRow(
      _ model: PostgreSQLModel, _ key: UnsafeRawBufferPointer, _ version: UInt64
    ) throws(StorageError) -> StoredRow? {
      guard !isClosed else { throw .storeClosed }
      // A session has the isolation and the timeout of locks that a statement by itself needs.
      guard server.presence == .sessionLock else { return nil }
      let table = model.table
      var parameters = PostgreSQLParameters()
      try model.rowWriter.add(key: key, to: &parameters)
      let connection = try pool.take(Deadline(after: busyTimeout))
      defer { pool.give(connection) }
      var (statements, place) = ([PostgreSQLStatement(table.getAloneSQL, parameters)], 0)
      if manifest.writers == .many {
        let begin = server.beginRead(isSerializable: true, isStandby: connection.isStandby)
        statements = [
          PostgreSQLStatement(begin), PostgreSQLStatement(server.readGate(self.place)),
          PostgreSQLStatement(table.getWithSchemaSQL, parameters), PostgreSQLStatement("COMMIT"),
        ]
        place = 2
      }
      let result: PostgreSQLResult
      do throws(StorageError) {
        try connection.forgetStatements(unlessOf: version)
        result = try pool.cancelledByClosing(connection) { [statements, place] () throws(StorageError) in
          try connection.pipeline(statements)[place]
        }
      } catch {
        if !connection.isLost, connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        if isClosed { throw .storeClosed }
        guard error.sqlState != "55P03" else { throw translated(error, busyTimeout) }
        return nil
      }
      guard result.count == 1, result.bytes(0, 0).count == 8, result.bytes(0, 1).count == 4 else { return nil }
      try checkTable(UInt64(UInt32(bigEndian: result.bytes(0, 1).loadUnaligned(as: UInt32.self))), connection)
      let number = UInt64(clamping: try PostgreSQLReadTransaction.integer(result, 0))
      guard number == version else { return .otherSchema }
      // What comes before the row.
      let first = 2
      let isThere =
        model.reader.columns.firstIndex { $0.slot.index == table.key.slot.index }
        .map { !result.isNull(0, first + $0) } ?? false
      guard isThere else { return .absent }
      try model.reader.check(result, first: first)
      return .row(try model.reader.read(result, 0, model.writer, first: first))
    }
  }
#endif
