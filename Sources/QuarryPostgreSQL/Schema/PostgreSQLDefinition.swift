#if PostgreSQL
  import QuarryBackend

  /// The definitions of tables and indexes.
  enum PostgreSQLDefinition {
    /// The definition of a model's table.
    static func createTable(_ table: PostgreSQLTable) -> String {
      var lines = table.live.map { "\($0.name) \($0.kind.declaredType)\($0.slot.isOptional ? "" : " NOT NULL")" }
      if table.hasTrees { lines.append("\(PostgreSQLName.quoted(PostgreSQLName.exact)) bytea") }
      let name = PostgreSQLName.quoted(PostgreSQLName.key(table.model.id.rawValue))
      // A primary key has columns alone, whole ones.
      guard table.key.kind.isLong else {
        lines.append("CONSTRAINT \(name) PRIMARY KEY (\(table.key.name))")
        return "CREATE TABLE \(table.name) (\(lines.joined(separator: ", ")))"
      }
      return "CREATE TABLE \(table.name) (\(lines.joined(separator: ", "))); "
        + "CREATE UNIQUE INDEX \(name) ON \(table.name) (\(PostgreSQLTable.target(table.key)))"
    }

    /// The definition of an index.
    ///
    /// Long values stand in it by their beginnings, in a unique one with a hash of the longer ones. A plain index ends with the key, in
    /// the direction of the last column, so that rows of equal values come in the order that queries ask for.
    static func createIndex(_ table: PostgreSQLTable, _ index: IndexSchema) throws(StorageError) -> String {
      var columns: [(column: PostgreSQLColumn, isDescending: Bool)] = []
      for column in index.columns { columns.append((try table.column(column.slot), column.isDescending)) }
      let hasKey = index.columns.contains { $0.slot == table.model.primaryKey }
      if !index.isUnique, !hasKey { columns.append((table.key, columns.last?.isDescending ?? false)) }
      // Each takes its share of an entry's room.
      let long = columns.count { $0.column.kind.isLong }
      let count = long <= 4 ? PostgreSQLBeginning.characters : max(1, PostgreSQLBeginning.characters * 4 / long)
      var parts: [String] = []
      var rests: [String] = []
      for (column, isDescending) in columns {
        var part = column.name
        if column.kind.isLong {
          part = "(\(PostgreSQLBeginning.of(column.name, column.kind, count)))"
          if index.isUnique { rests.append(PostgreSQLBeginning.rest(column.name, column.kind, count)) }
        }
        parts.append(part + direction(column, isDescending))
      }
      let kind = index.isUnique ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
      let name = PostgreSQLName.quoted(PostgreSQLName.index(index.id))
      return "\(kind) \(name) ON \(table.name) (\((parts + rests).joined(separator: ", ")))"
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
