#if PostgreSQL
  import QuarryBackend

  /// What one transaction keeps for a model: statements, and memory that is used again.
  final class PostgreSQLModel {
    let table: PostgreSQLTable
    let writer: RowWriter
    /// Reads whole rows.
    let reader: PostgreSQLRowReader
    let rowWriter: PostgreSQLRowWriter
    /// Whether its rows are the numbers that sequences have reached.
    let isOfSequences: Bool

    init(_ table: PostgreSQLTable) throws(StorageError) {
      self.table = table
      isOfSequences = table.model.isSequences
      writer = RowWriter(table.layout)
      reader = try PostgreSQLRowReader(table)
      rowWriter = PostgreSQLRowWriter(table)
    }
  }
#endif
