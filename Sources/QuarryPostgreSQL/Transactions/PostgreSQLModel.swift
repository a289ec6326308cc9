#if PostgreSQL
  import QuarryBackend

  /// What a transaction, or a read without one, uses for a model: its table, and memory for a row.
  ///
  /// Unchecked: it has one user at a time.
  final class PostgreSQLModel: @unchecked Sendable {
    let table: PostgreSQLTable
    let writer: RowWriter
    /// Reads whole rows.
    let reader: PostgreSQLRowReader
    let rowWriter: PostgreSQLRowWriter
    /// Whether its rows are the numbers that sequences have reached.
    let isOfSequences: Bool

    /// A larger row is not kept.
    private static let mostBytes = 1 << 16

    /// Whether it takes little memory.
    var isSmall: Bool { writer.room <= Self.mostBytes }

    init(_ table: PostgreSQLTable) throws(StorageError) {
      self.table = table
      isOfSequences = table.model.isSequences
      writer = RowWriter(table.layout)
      reader = try PostgreSQLRowReader(table)
      rowWriter = PostgreSQLRowWriter(table)
    }
  }
#endif
