#if PostgreSQL
  import QuarryBackend

  /// What one transaction keeps for a model: statements, and memory that is used again.
  final class PostgreSQLModel {
    let table: PostgreSQLTable
    let writer: RowWriter
    /// Reads whole rows.
    let reader: PostgreSQLRowReader
    let rowWriter: PostgreSQLRowWriter
    let getSQL: String
    let getManySQL: String
    /// Whether its rows are the numbers that sequences have reached.
    let isOfSequences: Bool

    init(_ table: PostgreSQLTable) throws(StorageError) {
      self.table = table
      isOfSequences = table.model.isSequences
      writer = RowWriter(table.layout)
      let reader = try PostgreSQLRowReader(table)
      self.reader = reader
      rowWriter = PostgreSQLRowWriter(table)
      getSQL = "SELECT \(reader.list()) FROM \(table.name) WHERE \(PostgreSQLTable.condition(table.key, 1))"
      getManySQL = "SELECT \(reader.list()) FROM \(table.name) WHERE \(PostgreSQLTable.conditionOfMany(table.key))"
    }
  }
#endif
