#if PostgreSQL
  import QuarryBackend

  /// The definitions of tables and indexes.
  enum PostgreSQLDefinition {
    /// The definition of a model's table.
    static func createTable(_ table: PostgreSQLTable) -> String {
      var lines = table.live.map { "\($0.name) \($0.kind.declaredType)\($0.slot.isOptional ? "" : " NOT NULL")" }
      if table.hasTrees { lines.append("\(PostgreSQLName.quoted(PostgreSQLName.exact)) bytea") }
      return "CREATE TABLE \(table.name) (\(lines.joined(separator: ", "))); \(createKey(table))"
    }

    /// The definition of the index of a model's keys.
    static func createKey(_ table: PostgreSQLTable) -> String {
      let name = PostgreSQLName.quoted(PostgreSQLName.key(table.model.id.rawValue))
      // A primary key has columns alone, whole ones.
      guard table.key.kind.isLong else {
        return "ALTER TABLE \(table.name) ADD CONSTRAINT \(name) PRIMARY KEY (\(table.key.name))"
      }
      return "CREATE UNIQUE INDEX \(name) ON \(table.name) (\(PostgreSQLTable.target(table.key)))"
    }

    /// The definition of an index: its columns, a plain one with the key at the end.
    static func createIndex(_ table: PostgreSQLTable, _ index: IndexSchema) throws(StorageError) -> String {
      let kind = index.isUnique ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
      let name = PostgreSQLName.quoted(PostgreSQLName.index(index.id))
      return "\(kind) \(name) ON \(table.name) (\(try PostgreSQLIndexParts(table, index).sql))"
    }

    /// The direction of a column in an index and in an order: nil comes before every value.
    static func direction(_ column: PostgreSQLColumn, _ isDescending: Bool) -> String {
      direction(isOptional: column.slot.isOptional, isDescending)
    }

    static func direction(isOptional: Bool, _ isDescending: Bool) -> String {
      (isDescending ? " DESC" : "") + (isOptional ? (isDescending ? " NULLS LAST" : " NULLS FIRST") : "")
    }
  }
#endif
