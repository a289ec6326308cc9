#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// Finds out which unique index a row offends, after the server has refused it: its own message has values in it.
  struct PostgreSQLConflict {
    let transaction: PostgreSQLWriteTransaction
    let model: PostgreSQLModel

    /// The error for a row whose primary key there is.
    func duplicateKey(_ row: RowView) -> StorageError {
      .duplicateKey(model.table.model, key: KeyText.text(of: row, model.table.layout))
    }

    /// The error for a row that another row with another key stands in the way of.
    func violation(_ row: RowView) throws(StorageError) -> StorageError {
      let schema = model.table.model
      var offended: IndexSchema?
      for index in schema.indexes where index.isUnique {
        guard try isTaken(index, row) else { continue }
        offended = index
        break
      }
      // With many writers, the row in the way may be of a commit that this transaction does not see.
      if offended == nil, transaction.backend.manifest.writers == .many { return transaction.noted(.overtaken) }
      return .uniqueViolation(offended, schema, key: KeyText.text(of: row, model.table.layout))
    }

    private func isTaken(_ index: IndexSchema, _ row: RowView) throws(StorageError) -> Bool {
      let table = model.table
      let dialect = PostgreSQLDialect()
      var conditions: [String] = []
      var values: [SQLConstant] = []
      func add(_ column: PostgreSQLColumn, _ sign: String) throws(StorageError) -> Bool {
        let value = try row.value(column.slot, table.layout)
        if value.isNull { return false }
        values.append(try dialect.constant(value, column.slot.type))
        conditions.append("\(column.name) \(sign) $\(values.count)")
        return true
      }
      for column in index.columns {
        let column = try table.column(column.slot)
        guard try add(column, "=") else { return false }
        // What the index has.
        guard let beginning = column.named.beginning else { continue }
        let constant = beginning.constant.replacing(SQLParameters.numbered.mark, with: "$\(values.count)")
        conditions.append("\(beginning.column) = \(constant)")
      }
      _ = try add(table.key, "<>")
      var parameters = PostgreSQLParameters()
      parameters.add(values, [])
      let sql = "SELECT 1 FROM \(table.name) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1"
      return try transaction.query(PostgreSQLStatement(sql, parameters)).count > 0
    }
  }
#endif
