#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  // Rows that triggers, rules or the row security of another program keep as they are, without an error. A change that meets one is
  // refused, and the call changes nothing.

  extension PostgreSQLWriteTransaction {
    /// Changes or removes all rows of a selection in one statement, in a savepoint.
    ///
    /// The server counts the rows first, in the same trip, if something of another program may keep one of them.
    ///
    /// - Returns: The number of rows.
    func changeAll(
      _ statement: PostgreSQLStatement, of selection: SQLSelection, _ model: PostgreSQLModel
    ) throws(StorageError) -> Int {
      let table = model.table
      var values: [SQLConstant] = []
      let count = "SELECT count(*) FROM \(table.name)\(selection.whereClause(&values))"
      var parameters = PostgreSQLParameters()
      parameters.add(values, selection.lists)
      // The server executes the count only if the condition before it holds.
      let counting = PostgreSQLStatement(
        "SELECT CASE WHEN relhastriggers OR relhasrules OR relrowsecurity THEN (\(count)) END FROM pg_class "
          + "WHERE oid = \(PostgreSQLName.literal(table.name))::regclass", parameters)
      do throws(StorageError) {
        return try protected([counting, statement]) { (results) throws(StorageError) in
          let changes = results[1].changes
          if !results[0].isNull(0, 0), try Self.integer(results[0], 0) != changes { throw .rejectedRow }
          return changes
        }
      } catch {
        throw described(error, table)
      }
    }

    /// Throws if a row is still stored after a removal of the rows with these keys.
    ///
    /// - Parameter count: The number of rows that the server has removed. It is asked only if there were more keys.
    func checkRemoved(_ model: PostgreSQLModel, _ keys: ArraySlice<Key>, count: Int) throws(StorageError) {
      guard count < keys.count else { return }
      var parameters = PostgreSQLParameters()
      try model.rowWriter.add(keys, to: &parameters)
      let result = try query(PostgreSQLStatement(model.table.keysSQL + " LIMIT 1", parameters))
      guard result.count > 0 else { return }
      throw .rejectedRow.with(key: try PostgreSQLRowReader(model.table, []).key(result, 0, at: 0))
    }
  }
#endif
