#if PostgreSQL
  import QuarryBackend

  /// Compares the indexes of a table with those that its model needs.
  struct PostgreSQLIndexCheck {
    let transaction: PostgreSQLReadTransaction
    let table: PostgreSQLTable

    /// An index as the server has it.
    private struct Found {
      let name: String
      let isUnique, isValid, isPartial, isPlain, isImmediate, takesNull: Bool
      let options, values: String
    }

    /// - Parameter isReadable: Whether the columns are those of the model, so that expressions of them can be compared.
    func run(isReadable: Bool, _ report: inout DefectReport) throws(StorageError) {
      let found = try indexes()
      let model = table.model
      var known = [PostgreSQLName.key(model.id.rawValue)]
      for index in model.indexes {
        let name = PostgreSQLName.index(index.id)
        known.append(name)
        let parts = try PostgreSQLIndexParts(table, index).all
        let defects = try defects(found.first { $0.name == name }, index.isUnique, parts, isReadable)
        for defect in defects {
          report.add("model \(model.name), index \(index.name) (\(model.names(of: index))): \(defect)")
        }
        if !defects.isEmpty, index.isUnique, isReadable { try reportShared(index, &report) }
      }
      let ofKeys = try keyDefects(found, isReadable)
      for defect in ofKeys {
        report.add("model \(model.name), index of the keys (\(model.keyProperty.name)): \(defect)")
      }
      if !ofKeys.isEmpty, isReadable {
        for key in try sharedKeys(most: DefectReport.most + 1) {
          report.add("model \(model.name), key \(key): several rows have this key")
        }
      }
      for index in found where index.isUnique && !known.contains(index.name) {
        report.add("model \(model.name): the table has a unique index that is not the schema's, \(index.name)")
      }
    }

    /// Whether the index of the keys is the one that the model needs. The columns are those of the model.
    func hasKeyIndex() throws(StorageError) -> Bool { try keyDefects(try indexes(), true).isEmpty }

    private func keyDefects(_ found: [Found], _ isReadable: Bool) throws(StorageError) -> [String] {
      let name = PostgreSQLName.key(table.model.id.rawValue)
      return try defects(found.first { $0.name == name }, true, PostgreSQLTable.keyParts(table.key), isReadable)
    }

    private func indexes() throws(StorageError) -> [Found] {
      // 950 is the collation "C"; what has no text has none.
      let rows = try transaction.texts(
        "SELECT i.relname::text, x.indisunique::text, (x.indisvalid AND x.indisready AND x.indislive)::text, "
          + "(x.indpred IS NOT NULL)::text, "
          + "(m.amname = 'btree' AND NOT EXISTS (SELECT FROM unnest(x.indcollation::oid[]) o WHERE o NOT IN (0, 950)) "
          + "AND NOT EXISTS (SELECT FROM unnest(x.indclass::oid[]) o JOIN pg_opclass c ON c.oid = o WHERE NOT c.opcdefault))"
          + "::text, x.indimmediate::text, coalesce(to_jsonb(x)->>'indnullsnotdistinct', 'false'), x.indoption::text, "
          + "(SELECT string_agg(pg_get_indexdef(x.indexrelid, k, false), ', ' ORDER BY k) "
          + "FROM generate_series(1, x.indnkeyatts) k) "
          + "FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam "
          + "WHERE x.indrelid = to_regclass($1) ORDER BY i.relname", table.name)
      return rows.map { row in
        Found(
          name: row[0], isUnique: row[1] == "true", isValid: row[2] == "true", isPartial: row[3] == "true",
          isPlain: row[4] == "true", isImmediate: row[5] == "true", takesNull: row[6] == "true", options: row[7],
          values: row[8])
      }
    }

    private func defects(
      _ found: Found?, _ isUnique: Bool, _ parts: [PostgreSQLIndexParts.Part], _ isReadable: Bool
    ) throws(StorageError) -> [String] {
      guard let found else { return ["the table has no such index"] }
      var defects: [String] = []
      if found.isUnique != isUnique { defects.append("it is \(isUnique ? "not " : "")unique") }
      if !found.isValid { defects.append("it is not valid") }
      if found.isPartial { defects.append("it leaves out rows") }
      if !found.isPlain { defects.append("it has another method, collation or operator class") }
      if !found.isImmediate { defects.append("it is checked only when a transaction ends") }
      if found.takesNull { defects.append("it takes nil for a value") }
      let values = parts.map(\.value).joined(separator: ", ")
      let hasSameValues = isReadable ? try isSame(found.values, values) : true
      if !hasSameValues {
        defects.append("it is over other columns")
      } else if found.options != parts.map({ String($0.options) }).joined(separator: " ") {
        defects.append("it has other directions")
      }
      return defects
    }

    /// Whether two lists of expressions are the same to the server, which writes each in its own way.
    private func isSame(_ first: String, _ second: String) throws(StorageError) -> Bool {
      if first == second { return true }
      return try output(first) == output(second)
    }

    private func output(_ list: String) throws(StorageError) -> String? {
      let lines = try transaction.texts("EXPLAIN (VERBOSE, COSTS OFF) SELECT \(list) FROM \(table.name)")
      return lines.map { $0[0].drop { $0 == " " } }.first { $0.hasPrefix("Output: ") }.map { String($0) }
    }

    // MARK: Values that are not unique

    /// Adds a defect for each object that has the value of one with a lesser key.
    private func reportShared(_ index: IndexSchema, _ report: inout DefectReport) throws(StorageError) {
      var names: [String] = []
      for column in index.columns { names.append(try table.column(column.slot).name) }
      let (list, key) = (names.joined(separator: ", "), table.key.name)
      let present = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      let result = try transaction.query(
        PostgreSQLStatement(
          "SELECT f, k FROM (SELECT first_value(\(key)) OVER w AS f, \(key) AS k, row_number() OVER w AS n "
            + "FROM \(table.name) WHERE \(present) WINDOW w AS (PARTITION BY \(list) ORDER BY \(key))) s "
            + "WHERE n > 1 ORDER BY k, f LIMIT \(DefectReport.most + 1)"))
      let reader = try PostgreSQLRowReader(table, [])
      for row in 0..<result.count {
        let keys = [0, 1].map { reader.key(result, row, at: $0) ?? "?" }
        report.add(
          "model \(table.model.name), index \(index.name) (\(table.model.names(of: index))): the objects with the keys "
            + "\(keys[0]) and \(keys[1]) have the same value")
      }
    }

    /// The first keys that several rows have.
    func sharedKeys(most: Int) throws(StorageError) -> [String] {
      let key = table.key.name
      let result = try transaction.query(
        PostgreSQLStatement(
          "SELECT \(key) FROM \(table.name) WHERE \(key) IS NOT NULL GROUP BY \(key) HAVING count(*) > 1 ORDER BY \(key) "
            + "LIMIT \(most)"))
      let reader = try PostgreSQLRowReader(table, [])
      return (0..<result.count).map { reader.key(result, $0, at: 0) ?? "?" }
    }
  }
#endif
