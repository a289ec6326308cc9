#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLWriteTransaction {
    func insert(_ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
      let model = try usableModel(model)
      guard rows.count > 0 else { return }
      try checkSizes(model, rows)
      if rows.count == 1 {
        try rows.forEach { (_, row) throws(StorageError) in try insert(model, row) }
      } else {
        do throws(StorageError) {
          try copy(model, rows)
        } catch {
          guard error.code == .uniqueViolation, failure == nil else { throw described(error, model.table) }
          // The batch's error does not depend on the order of its rows: a duplicate key is reported first.
          try throwDuplicateKey(model, rows)
          try atomically { () throws(StorageError) in
            try rows.forEach { (_, row) throws(StorageError) in try insert(model, row) }
          }
        }
      }
      note(model)
    }

    func insert(_ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer) throws(StorageError) {
      let view = try RowView(row, model.table.layout)
      do throws(StorageError) {
        let results = try protected([try statement(model.table.insertSQL, model, view)])
        guard results.last?.changes == 1 else { throw .rejectedRow }
      } catch {
        throw refused(model, row, error)
      }
    }

    /// A statement with the fields of a row as its parameters.
    func statement(
      _ sql: String, _ model: PostgreSQLModel, _ row: RowView
    ) throws(StorageError) -> PostgreSQLStatement {
      var parameters = PostgreSQLParameters()
      try model.rowWriter.add(row, model.table.live, withExact: model.table.hasTrees, to: &parameters)
      return PostgreSQLStatement(sql, parameters)
    }

    /// Copies rows into the table, in a savepoint.
    func copy(_ model: PostgreSQLModel, _ rows: borrowing RowBatch) throws(StorageError) {
      // The head of the binary form: its signature, no flags, nothing more.
      var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      try rows.forEach { (_, row) throws(StorageError) in
        try model.rowWriter.append(tuple: try RowView(row, model.table.layout), to: &bytes)
      }
      PostgreSQLValueWriter.append(-1 as Int16, to: &bytes)
      var place = 0
      func next() -> [UInt8]? {
        guard place < bytes.count else { return nil }
        defer { place = min(bytes.count, place + 1 << 18) }
        return Array(bytes[place..<min(bytes.count, place + 1 << 18)])
      }
      try protectedCopy(model.table.copySQL, next) { (count) throws(StorageError) in
        guard count != rows.count else { return }
        // No row had their keys before, or the copy would have failed.
        var keys: [Key] = []
        try rows.forEach { (_, row) throws(StorageError) in keys.append(try Key(of: row, model.table.layout)) }
        let lost = try missing(model.table.model.id, keys).first
        var key: String?
        try rows.forEach { (place, row) throws(StorageError) in
          if place == lost { key = KeyText.text(of: try RowView(row, model.table.layout), model.table.layout) }
        }
        throw .rejectedRow.with(model: model.table.model.name, key: key)
      }
    }

    /// The error for a row that was refused.
    func refused(_ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer, _ error: StorageError) -> StorageError {
      guard error.code == .uniqueViolation, failure == nil else { return located(error, model, row) }
      let conflict = PostgreSQLConflict(transaction: self, model: model)
      do throws(StorageError) {
        let view = try RowView(row, model.table.layout)
        if try exists(model, row) { return conflict.duplicateKey(view) }
        return try conflict.violation(view)
      } catch {
        return error
      }
    }

    /// The error with the names of the model and the row's key.
    func located(_ error: StorageError, _ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer) -> StorageError {
      let layout = model.table.layout
      let key = (try? RowView(row, layout)).flatMap { KeyText.text(of: $0, layout) }
      return described(error, model.table).with(key: key)
    }

    /// Whether there is a row with the primary key of this row.
    func exists(_ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
      try missing(model.table.model.id, [try Key(of: row, model.table.layout)]).isEmpty
    }

    /// Throws `duplicateKey` if a row of the batch has the key of a stored row or of another in the batch.
    private func throwDuplicateKey(_ model: PostgreSQLModel, _ rows: borrowing RowBatch) throws(StorageError) {
      var keys: [Key] = []
      try rows.forEach { (_, row) throws(StorageError) in keys.append(try Key(of: row, model.table.layout)) }
      let missing = Set(try missing(model.table.model.id, keys))
      var seen = Set(keys.indices.filter { !missing.contains($0) }.map { keys[$0] })
      try rows.forEach { (place, row) throws(StorageError) in
        guard !seen.insert(keys[place]).inserted else { return }
        throw PostgreSQLConflict(transaction: self, model: model).duplicateKey(try RowView(row, model.table.layout))
      }
    }

    func getOrInsert(
      _ model: ModelID, _ row: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
      let model = try usableModel(model)
      try checkSize(model, row)
      let view = try RowView(row, model.table.layout)
      do throws(StorageError) {
        if try protected([try statement(model.table.addSQL, model, view)]).last?.changes == 1 {
          note(model)
          return nil
        }
      } catch {
        throw refused(model, row, error)
      }
      guard let row = try stored(model, keyOf: row) else { throw located(.rejectedRow, model, row) }
      return row
    }

    /// The stored row with the primary key of this row, in the model's buffer.
    func stored(
      _ model: PostgreSQLModel, keyOf row: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
      let key = try Key(of: row, model.table.layout)
      return try key.bytes.withBytes { (key) throws(StorageError) in try stored(model, key) }
    }
  }
#endif
