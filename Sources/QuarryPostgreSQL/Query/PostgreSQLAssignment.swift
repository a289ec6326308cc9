#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// A set-based update that the server makes alone: constants for columns that no unique index has.
  struct PostgreSQLAssignment {
    let statement: PostgreSQLStatement
    /// The rows that it changes.
    let selection: SQLSelection
    /// The bytes of a text or of data from which on the rows are looked at: each has a largest size.
    private static let largeBytes = 1 << 16

    /// - Returns: Nil where the server would not give Quarry's result: for a limit or a residual, for columns in unique indexes,
    ///   which the server checks row by row, for arithmetic, for trees, NaN and large values, and for nil where it must not be.
    init?(
      _ query: BoundQuery, _ assignments: [BoundAssignment], _ table: PostgreSQLTable, in tables: any SQLTables
    ) throws(StorageError) {
      guard query.limit == nil, query.offset == 0, !assignments.isEmpty else { return nil }
      let slots = assignments.map(\.slot)
      let unique = table.model.indexes.filter(\.isUnique).flatMap { $0.columns.map(\.slot) }
      guard Set(slots).count == slots.count, !slots.contains(where: unique.contains),
        !slots.contains(table.model.primaryKey)
      else { return nil }
      let dialect = PostgreSQLDialect()
      var values: [SQLConstant] = []
      var setters: [String] = []
      for assignment in assignments {
        let column = try table.column(assignment.slot)
        guard assignment.operation == .set, column.kind != .tree,
          !assignment.value.isNull || column.slot.isOptional,
          assignment.value.conforms(to: table.model.properties[assignment.slot])
        else { return nil }
        let constant = try dialect.constant(assignment.value, column.slot.type)
        if dialect.isNaN(constant) { return nil }
        switch constant {
        case .text(let bytes) where bytes.count >= Self.largeBytes: return nil
        case .blob(let bytes) where bytes.count >= Self.largeBytes: return nil
        default: break
        }
        values.append(constant)
        setters.append("\(column.name) = $\(values.count)")
      }
      selection = try SQLSelection(query.predicate, table, in: tables)
      guard selection.residual.isEmpty else { return nil }
      let sql = "UPDATE \(table.name) SET \(setters.joined(separator: ", "))" + selection.whereClause(&values)
      var parameters = PostgreSQLParameters()
      parameters.add(values, selection.lists)
      statement = PostgreSQLStatement(sql, parameters)
    }
  }
#endif
