#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLReadTransaction {
    /// Calls a body that uses a table. If the server refuses a statement because of the table, the error names what is wrong with it.
    final func using<R>(
      _ table: PostgreSQLTable, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
      do throws(StorageError) {
        return try body()
      } catch {
        throw described(error, table)
      }
    }

    /// An error of a statement with the names of the model and of the property whose column is not as the model says.
    final func described(_ error: StorageError, _ table: PostgreSQLTable) -> StorageError {
      let named = error.with(model: table.model.name)
      // The server takes no more statements of this transaction.
      guard error.code == .corrupt, error.property == nil, let state = error.sqlState, !state.hasPrefix("XX"),
        let other = try? backend.pool.take(Deadline(after: 0))
      else { return named }
      defer { backend.pool.give(other) }
      var parameters = PostgreSQLParameters()
      parameters.add(text: table.name.utf8)
      let statement = PostgreSQLStatement(PostgreSQLColumnState.sql, parameters)
      guard let result = try? other.query(statement) else { return named }
      let columns = PostgreSQLColumnState(table, result.texts)
      guard let (property, defect) = columns.unreadable else { return named }
      return StorageError(.corrupt, defect, model: table.model.name, property: property, cause: error.cause)
    }
  }
#endif
