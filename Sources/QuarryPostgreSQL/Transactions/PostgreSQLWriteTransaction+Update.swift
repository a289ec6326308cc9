#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  extension PostgreSQLWriteTransaction {
    func update(
      _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, expected: UnsafeRawBufferPointer?,
      expectedSlots: [Int]?
    ) throws(StorageError) {
      let model = try usableModel(model)
      try checkSize(model, row)
      let table = model.table
      if let expected {
        guard let stored = try stored(model, keyOf: row) else { throw try notFound(model, row) }
        if try RowMerger(table.layout).differ(stored, expected, slots: expectedSlots) {
          let view = try RowView(row, table.layout)
          throw .conflict(table.model.name, key: KeyText.text(of: view, table.layout))
        }
      }
      let found: Bool
      if let slots {
        found = try write(model, row, slots)
      } else {
        found = try replace(model, row)
      }
      guard found else {
        // Something of another program may have kept the row as it was.
        if try exists(model, row) { throw located(.rejectedRow, model, row) }
        throw try notFound(model, row)
      }
      note(model)
    }

    private func notFound(_ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer) throws(StorageError) -> StorageError
    {
      let layout = model.table.layout
      return .notFound(model.table.model.name, key: KeyText.text(of: try RowView(row, layout), layout))
    }

    /// Replaces all of a row.
    ///
    /// - Returns: Whether there was one.
    private func replace(_ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
      var found = false
      var batch = RowBatch()
      batch.append(row)
      do throws(StorageError) {
        try runEach(model, batch, model.table.replaceSQL, withKey: true) { found = $0.changes > 0 }
      } catch {
        throw violated(model, row, error)
      }
      return found
    }

    private func violated(
      _ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer, _ error: StorageError
    ) -> StorageError {
      guard error.code == .uniqueViolation, failure == nil else { return located(error, model, row) }
      do throws(StorageError) {
        return try PostgreSQLConflict(transaction: self, model: model).violation(try RowView(row, model.table.layout))
      } catch {
        return error
      }
    }

    /// Writes slots of a row.
    ///
    /// - Returns: Whether there was a row.
    private func write(
      _ model: PostgreSQLModel, _ row: UnsafeRawBufferPointer, _ slots: [Int]
    ) throws(StorageError) -> Bool {
      let table = model.table
      var columns: [PostgreSQLColumn] = []
      for slot in Set(slots).sorted() where slot != table.model.primaryKey { columns.append(try table.column(slot)) }
      guard !columns.isEmpty else { return try stored(model, keyOf: row) != nil }
      if columns.contains(where: { $0.kind == .tree }) {
        // The exact trees of a row are in one column, so that the row is put together again.
        guard let old = try stored(model, keyOf: row) else { return false }
        let merger = RowMerger(table.layout)
        defer { withExtendedLifetime(merger) {} }
        return try replace(model, try merger.merge(old: old, new: row, slots: slots))
      }
      var parameters = PostgreSQLParameters()
      try model.rowWriter.add(try RowView(row, table.layout), columns, withExact: false, to: &parameters)
      try Key(of: row, table.layout).bytes.withBytes { (key) throws(StorageError) in
        try model.rowWriter.add(key: key, to: &parameters)
      }
      do throws(StorageError) {
        let results = try protected([PostgreSQLStatement(table.updateSQL(columns), parameters)])
        return (results.last?.changes ?? 0) > 0
      } catch {
        throw violated(model, row, error)
      }
    }

    // MARK: By a query

    func update(_ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
      let model = try usableModel(query.model)
      let count: Int
      if let pushed = try PostgreSQLAssignment(query, assignments, model.table, in: state) {
        count = try changeAll(pushed.statement, of: pushed.selection, model)
      } else {
        count = try updateRowByRow(query, assignments, model)
      }
      if count > 0 { note(model) }
      return count
    }

    /// Reads the rows, works the new ones out and writes them: what the server cannot compute with Quarry's meaning.
    private func updateRowByRow(
      _ query: BoundQuery, _ assignments: [BoundAssignment], _ model: PostgreSQLModel
    ) throws(StorageError) -> Int {
      let assigner = try RowAssigner(assignments, model.table.layout, model.table.model)
      defer { withExtendedLifetime(assigner) {} }
      var results = RowBatch()
      var keys: [Key] = []
      var whole = query
      whole.projection = nil
      // Fixed before the first change.
      try forEachRow(whole) { (row) throws(StorageError) in
        results.append(try assigner.apply(row))
        keys.append(try Key(of: row, model.table.layout))
      }
      guard results.count > 0 else { return 0 }
      try checkSizes(model, results)
      do throws(StorageError) {
        try runEach(model, results, model.table.replaceSQL, withKey: true) { (result) throws(StorageError) in
          guard result.changes > 0 else { throw .rejectedRow.with(model: model.table.model.name) }
        }
      } catch {
        guard error.code == .uniqueViolation, failure == nil else { throw error }
        // A value may have been in use only by a row that is changed later.
        try replaceAll(model, keys, results)
      }
      return results.count
    }
  }
#endif
